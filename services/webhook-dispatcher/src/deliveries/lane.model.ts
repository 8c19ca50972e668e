/** A lane, which is one subscription, and whose it is. */
export interface LaneToClaim {
  subscriptionId: string;
  clientId: string;
}

/** A subscription whose deliveries this process may send, and all that is needed to send them. */
export interface ClaimedLane extends LaneToClaim {
  /** The id that its owner chose. */
  id: string;
  callbackUrl: string;
  sealedKey: Uint8Array;
  /** Outages in a row, as the row has them. */
  outages: number;
  /** Attempts in a row that failed, as the row has them. */
  failures: number;
}

/** Names a lane together with the claim under which it is held. */
export interface LaneClaim {
  subscriptionId: string;
  claimId: string;
}

/** What is known of the receiver to which a lane led: its outages, and its failures in a row. */
export interface LaneOutages {
  callbackUrl: string;
  outages: number;
  failures: number;
  /** For so many milliseconds; nothing when the first of them was before the lane was claimed. */
  failingMs: number | undefined;
}

/** How a lane is given back. */
export interface LaneEnd extends LaneOutages {
  /** Milliseconds that it waits; 0 puts it behind those that wait already, nothing leaves it where it is due. */
  waitMs: number | undefined;
}
