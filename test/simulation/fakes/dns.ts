import { world } from '../world/current.ts';

/** `Resolver` of `node:dns/promises` for the service, over the world's names. */
export class Resolver {
  setServers(): void {
    throw new Error('The simulated world has no other name servers.');
  }
  #cancel: ((error: Error) => void) | undefined;

  cancel(): void {
    this.#cancel?.(coded('ECANCELLED'));
  }
  resolve4(host: string): Promise<readonly string[]> {
    return this.#ask(host, 4);
  }
  resolve6(host: string): Promise<readonly string[]> {
    return this.#ask(host, 6);
  }
  #ask(host: string, family: 4 | 6): Promise<readonly string[]> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#cancel = reject;
    return Promise.race([world().names.resolve(host, family), promise]);
  }
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
