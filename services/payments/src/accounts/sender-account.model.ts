/** An account that the client may use, as the bank describes it. */
export interface SenderAccount {
  readonly accountId: string;
  readonly bban: string;
  readonly ownerName: string;
  readonly currency: string;
  readonly supportsPayments: boolean;
  readonly supportsTransfers: boolean;
}
