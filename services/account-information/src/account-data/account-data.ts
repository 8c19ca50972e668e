/** Where the accounts of a client come from; the environment chooses one at start-up. */
export interface AccountData {
  /**
   * Sees to it that what the client may use is there; call it before a client's accounts are read.
   * @param clientId UUID
   */
  ensure(clientId: string): Promise<void>;
}
