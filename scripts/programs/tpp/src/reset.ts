import { openSession, type ProfileOptions } from '@kontoport/profile';

/** Makes the simulated bank of the organization start over. @returns the exit status */
export async function reset(options: ProfileOptions): Promise<number> {
  const session = openSession(options);
  try {
    await session.ask('POST', '/sandbox/reset');
    console.log('The simulated bank of your organization starts over.');
    return 0;
  } finally {
    await session.close();
  }
}
