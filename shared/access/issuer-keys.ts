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
  /** Keeps the last good keys for all authorizers. */
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

const second = 1000;
/** Age at which keys are refreshed: so long a withdrawn key is accepted while the issuer responds. */
const fresh = 600 * second;
/** Age up to which keys are used while the issuer does not respond. */
const live = 24 * 3600 * second;
/** Keys younger than this are not refreshed for an unknown key id, so that invented ids cause few requests. */
const certainlyFreshMs = 30 * second;
/** Timeout of a request to the issuer. */
const waitsForIssuerMs = { withKeys: second, without: 3 * second };
/** Pause after a failed request. Without usable keys there is a pause only after a slow request. */
const pause = { withKeys: 30 * second, without: 5 * second };

type LoadedKeys = IssuerKeys & { readonly find: JWTVerifyGetKey };

/**
 * Finds the issuer's key of a token. Keys are cached in this process and, for cold starts, in the table: one item,
 * written every ten minutes. While the issuer does not respond, the last good keys are used for a day. The finder
 * throws `JWKSNoMatchingKey` for a key id that the issuer does not publish, and `IssuerUnavailable` when no keys are
 * fresh enough to decide that.
 */
export function issuerKeys({ jwksUri, store, nowMs }: IssuerKeysOptions): JWTVerifyGetKey {
  let loaded: LoadedKeys | undefined;
  let pausedUntil = 0;

  // Keys dated in the future, by a clock that ran ahead, must not count as young: hence the absolute difference.
  const isYounger = (ageMs: number): boolean => loaded !== undefined && Math.abs(nowMs() - loaded.askedAtMs) < ageMs;

  /** Loads keys that are younger than `ageMs`. @returns false when none could be loaded. */
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
      log('warn', "Cannot fetch the issuer's keys", { ...errorFields(error), usable });
      count('FAILED');
      const slow = nowMs() - askedAtMs >= waitMs;
      pausedUntil = nowMs() + (usable ? pause.withKeys : slow ? pause.without : 0);
      return false;
    }
  }

  /** Reads the last keys that any authorizer has stored; undefined when the read fails. */
  async function readStored(): Promise<IssuerKeys | undefined> {
    return readIssuerKeys(store, jwksUri).catch((error: unknown) => {
      log('warn', 'Cannot read the stored keys of the issuer', errorFields(error));
      return undefined;
    });
  }

  async function save(keys: IssuerKeys): Promise<void> {
    await store.writeOne(issuerKeysPut(jwksUri, keys, live)).catch((error: unknown) => {
      log('warn', "Cannot store the issuer's keys", errorFields(error));
    });
  }

  function load(keys: IssuerKeys | undefined): void {
    if (keys === undefined || (loaded !== undefined && keys.askedAtMs <= loaded.askedAtMs)) return;
    loaded = { ...keys, find: createLocalJWKSet({ keys: keys.keys }) };
  }

  function count(outcome: 'FETCHED' | 'FAILED'): void {
    emit(nowMs(), 'outcome', { outcome }, [{ name: 'IssuerKeys', unit: 'Count', value: 1 }]);
  }

  return async (header, token) => {
    await refresh(fresh);
    if (loaded === undefined || !isYounger(live))
      throw new IssuerUnavailable('No usable keys of the issuer are available.');
    try {
      return await loaded.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    // The issuer may have published the key after the loaded keys were fetched.
    const certain = await refresh(certainlyFreshMs);
    try {
      return await loaded.find(header, token);
    } catch (error) {
      if (certain || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
      throw new IssuerUnavailable("Cannot fetch the issuer's keys for an unknown key id.");
    }
  };
}
