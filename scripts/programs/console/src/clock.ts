import { html } from '@kontoport/pages';
import type { Session } from '@kontoport/profile';
import type { Screen } from './screen.ts';
import { button, time } from './table.ts';

const STEPS = { PT1H: 'an hour', P1D: 'a day', P1M: 'a month', P3M: 'three months' } as const;

/** Shows the clock of the simulated bank, with buttons that advance it, and the reset. */
export async function clockPage(session: Session): Promise<Screen> {
  const { now, aheadSeconds } = await session.ask('GET', '/sandbox/clock');
  return {
    title: 'Clock and reset',
    body: html`<p>
        The clock of your simulated bank says <strong>${time(String(now))}</strong>, ${Number(aheadSeconds)}
        seconds ahead of the real time.
      </p>
      <div class="buttons">
        ${Object.entries(STEPS).map(([advance, name]) => button('/clock', `Advance by ${name}`, { advance }))}
      </div>
      <h2>Reset</h2>
      <p>
        The simulated bank starts over: accounts, balances, history and clock are those of the first day. All
        clients of your organization share them.
      </p>
      <details>
        <summary>Reset the simulated bank</summary>
        ${button('/reset', 'Yes, start over')}
      </details>`,
  };
}
