-- AlterTable
ALTER TABLE "client" ADD COLUMN     "secret_pepper_id" BYTEA;
