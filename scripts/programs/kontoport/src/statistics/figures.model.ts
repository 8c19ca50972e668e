/** The recorded samples of an interface, in a day or several. */
export interface Recorded {
  /** Number of samples, and of those with the interface up. */
  samples: number;
  up: number;
  requests: number;
  /** Requests answered with a 5xx. */
  errors: number;
  /** Requests whose time the bank decides, and the seconds that they took. */
  timed: number;
  seconds: number;
}

/** The published figures. Shares are of 1; null: nothing was measured, or there were no requests. */
export interface Figures {
  availability: number | null;
  downtime: number | null;
  /** Milliseconds. */
  average: number | null;
  errorRate: number | null;
  requests: number;
  /** The share of the time with measurements. */
  measured: number;
}

/** The interval of the rules. */
export const SAMPLE_SECONDS = 30;
const SAMPLES_OF_A_DAY = 86_400 / SAMPLE_SECONDS;

export const NOTHING: Recorded = { samples: 0, up: 0, requests: 0, errors: 0, timed: 0, seconds: 0 };

export function sumOf(recorded: readonly Recorded[]): Recorded {
  const sum = { ...NOTHING };
  for (const one of recorded) for (const key of Object.keys(sum) as (keyof Recorded)[]) sum[key] += one[key];
  return sum;
}

/** @param days how many of them it was recorded in */
export function figuresOf(recorded: Recorded, days: number): Figures {
  const { samples, up, requests, errors, timed, seconds } = recorded;
  const availability = share(up, samples);
  const average = share(seconds, timed);
  return {
    availability,
    downtime: availability === null ? null : 1 - availability,
    average: average === null ? null : 1_000 * average,
    errorRate: share(errors, requests),
    requests: Math.round(requests),
    measured: days === 0 ? 0 : Math.min(1, samples / (days * SAMPLES_OF_A_DAY)),
  };
}

function share(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
