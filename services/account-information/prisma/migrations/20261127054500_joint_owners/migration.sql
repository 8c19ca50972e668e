-- Further owners of an account. The previous version neither reads nor writes them.
CREATE TABLE "joint_owner" (
    "account_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "joint_owner_pkey" PRIMARY KEY ("account_id", "user_id")
);

CREATE INDEX "joint_owner_user_id_idx" ON "joint_owner"("user_id");

ALTER TABLE "joint_owner" ADD CONSTRAINT "joint_owner_account_id_fkey" FOREIGN KEY ("account_id")
  REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;
