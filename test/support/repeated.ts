import type { Answer } from './api.ts';

type Call<Arguments extends readonly unknown[]> = (...given: Arguments) => Promise<Answer>;

/**
 * Calls again after a 503, as a partner does: nothing was written, or the key of the request finds what was. How long
 * conflicts last is a matter of the machine.
 */
export function repeated<Arguments extends readonly unknown[]>(call: Call<Arguments>): Call<Arguments> {
  return async (...given) => {
    for (let calls = 1; ; calls += 1) {
      const response = await call(...given);
      if (response.status !== 503 || calls === 20) return response;
    }
  };
}
