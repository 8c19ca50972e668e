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
}

/** Names a lane together with the claim under which it is held. */
export interface LaneClaim {
  subscriptionId: string;
  claimId: string;
}

/** What is known of the outages of the receiver to which a lane led. */
export interface LaneOutages {
  callbackUrl: string;
  outages: number;
}

/** How a lane is given back. */
export interface LaneEnd extends LaneOutages {
  /** Milliseconds that it waits; 0 puts it behind those that wait already, nothing leaves it where it is due. */
  waitMs: number | undefined;
}
