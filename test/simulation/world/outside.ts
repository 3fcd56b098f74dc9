import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Weather } from './actors.ts';

/** Names of hosts: they change their addresses, sometimes to a forbidden one, and name servers are silent at times. */
export function namesOf(time: VirtualTime, draws: Draws, faultSchedule: () => Weather) {
  const known = new Set<string>();
  const coded = (code: string): Error => Object.assign(new Error(code), { code });
  return {
    add: (host: string): void => void known.add(host),
    resolve: async (host: string, family: 4 | 6): Promise<readonly string[]> => {
      const trouble = draws.chance(faultSchedule().unavailable);
      await time.sleep(trouble && draws.chance(0.3) ? 60_000 : draws.between(1, 40));
      if (trouble) throw coded(draws.one(['ESERVFAIL', 'EREFUSED', 'ETIMEOUT']));
      if (!known.has(host)) throw coded('ENOTFOUND');
      if (family === 6 || draws.chance(0.02)) throw coded('ENODATA');
      // A name that is turned to the machine's own address must not be called.
      if (draws.chance(faultSchedule().unavailable / 4)) return ['127.0.0.1'];
      return [`93.184.${draws.between(0, 4)}.${draws.between(1, 250)}`];
    },
  };
}

/** Those who hold addresses: each reads the last code that came. E-mail and messages fail at times. */
export function holdersOf(draws: Draws, faultSchedule: () => Weather) {
  const codes = new Map<string, string>();
  return {
    codeFor: (address: string): string | undefined => codes.get(address),
    tell: (address: string, text: string): object => {
      if (draws.chance(faultSchedule().unavailable)) {
        const name = draws.one([
          'TooManyRequestsException',
          'ServiceUnavailable',
          'BadRequestException',
          'OptedOutException',
        ]);
        throw Object.assign(new Error(name), { name });
      }
      const code = /\b\d{6}\b/u.exec(text)?.[0];
      if (code !== undefined) codes.set(address, code);
      return {};
    },
  };
}
