import type { JWTVerifyGetKey } from 'jose';
import { createLocalJWKSet, errors } from 'jose';
import type { IssuerKeys } from './issuer-key-store.ts';
import { issuerKeysPut, readIssuerKeys } from './issuer-key-store.ts';
import type { Store } from '../platform/table/store.ts';
import { errorFields, log } from '../platform/log.ts';
import { emit } from '../platform/metrics.ts';
import { fetchIssuerKeys, IssuerUnavailable } from './fetch-keys.ts';

type IssuerKeysOptions = {
  readonly jwksUri: string;
  /** Keeps the last good keys for all authorizers of the environment. */
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

const second = 1000;
/** Keys this old are fetched again: how long a withdrawn key is still accepted while the issuer answers. */
const fresh = 600 * second;
/** How long the last keys serve while the issuer does not answer: a withdrawn key is accepted no longer than that. */
const live = 24 * 3600 * second;
/**
 * A key id that is missing from keys this new is unknown to the issuer: invented ids cause no more requests than that.
 */
const certainlyFreshMs = 30 * second;
/** How long a request waits for the issuer: less where there are keys to go on with. */
const waitsForIssuerMs = { withKeys: second, without: 3 * second };
/** How long the issuer is left alone after a failure; without keys only if the failure was a slow one. */
const pause = { withKeys: 30 * second, without: 5 * second };

type LoadedKeys = IssuerKeys & { readonly find: JWTVerifyGetKey };

/**
 * Finds the issuer's key of a token. Keys are kept in this process and in the table, for cold starts: one item, written
 * about every ten minutes. When the issuer does not answer, the last good ones serve for a day.
 *
 * The finder throws `JWKSNoMatchingKey` for a key id that the issuer does not publish, and `IssuerUnavailable` when
 * that cannot be told, or there are no keys.
 */
export function issuerKeys({ jwksUri, store, nowMs }: IssuerKeysOptions): JWTVerifyGetKey {
  let loaded: LoadedKeys | undefined;
  let pausedUntil = 0;

  // A clock that ran ahead must not make keys younger.
  const isYounger = (ageMs: number): boolean => loaded !== undefined && Math.abs(nowMs() - loaded.askedAtMs) < ageMs;

  /** Loads keys of at most this age, if they can be fetched. */
  async function refresh(ageMs: number): Promise<boolean> {
    if (isYounger(ageMs)) return true;
    if (nowMs() < pausedUntil) return false;
    load(await readStored());
    return isYounger(ageMs) || (await download());
  }

  async function download(): Promise<boolean> {
    const askedAtMs = nowMs();
    const usable = isYounger(live);
    const waitMs = usable ? waitsForIssuerMs.withKeys : waitsForIssuerMs.without;
    try {
      const keys = { keys: await fetchIssuerKeys(jwksUri, waitMs), askedAtMs };
      load(keys);
      count('FETCHED');
      await save(keys);
      return true;
    } catch (error) {
      log('warn', "issuer's keys not fetched", { ...errorFields(error), usable });
      count('FAILED');
      const slow = nowMs() - askedAtMs >= waitMs;
      pausedUntil = nowMs() + (usable ? pause.withKeys : slow ? pause.without : 0);
      return false;
    }
  }

  /** The keys that an authorizer of the environment fetched last; a read that fails counts as none. */
  async function readStored(): Promise<IssuerKeys | undefined> {
    return readIssuerKeys(store, jwksUri).catch((error: unknown) => {
      log('warn', "issuer's keys not read", errorFields(error));
      return undefined;
    });
  }

  async function save(keys: IssuerKeys): Promise<void> {
    await store.writeOne(issuerKeysPut(jwksUri, keys, live)).catch((error: unknown) => {
      log('warn', "issuer's keys not kept", errorFields(error));
    });
  }

  function load(keys: IssuerKeys | undefined): void {
    if (keys === undefined || (loaded !== undefined && keys.askedAtMs <= loaded.askedAtMs)) return;
    loaded = { ...keys, find: createLocalJWKSet({ keys: keys.keys }) };
  }

  function count(outcome: 'FETCHED' | 'FAILED'): void {
    emit(nowMs(), { outcome }, [{ name: 'IssuerKeys', unit: 'Count', value: 1 }]);
  }

  return async (header, token) => {
    await refresh(fresh);
    if (loaded === undefined || !isYounger(live)) throw new IssuerUnavailable("The issuer's keys cannot be fetched.");
    try {
      return await loaded.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    // The issuer may have begun to sign with a key that is newer than the loaded ones.
    const certain = await refresh(certainlyFreshMs);
    try {
      return await loaded.find(header, token);
    } catch (error) {
      if (certain || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
      throw new IssuerUnavailable("The issuer cannot be asked about the token's key.");
    }
  };
}
