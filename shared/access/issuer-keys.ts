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
/** Age of a refresh: how long a withdrawn key is accepted while the issuer responds. */
const fresh = 600 * second;
/** Age of the last use while the issuer does not respond. */
const live = 24 * 3600 * second;
/** An unknown key id causes no refresh of keys this new, so invented ids cause few requests. */
const certainlyFreshMs = 30 * second;
/** Timeout of a request to the issuer. */
const waitsForIssuerMs = { withKeys: second, without: 3 * second };
/** Pause after a failed request; without keys only after a slow one. */
const pause = { withKeys: 30 * second, without: 5 * second };

type LoadedKeys = IssuerKeys & { readonly find: JWTVerifyGetKey };

/**
 * Finds the issuer's key of a token. Keys are cached in this process and, for cold starts, in the table: one item,
 * written every ten minutes. The last good ones serve for a day. The finder throws `JWKSNoMatchingKey` for a key id
 * that the issuer does not publish, and `IssuerUnavailable` without keys to tell.
 */
export function issuerKeys({ jwksUri, store, nowMs }: IssuerKeysOptions): JWTVerifyGetKey {
  let loaded: LoadedKeys | undefined;
  let pausedUntil = 0;

  // A clock that ran ahead must not make keys younger.
  const isYounger = (ageMs: number): boolean => loaded !== undefined && Math.abs(nowMs() - loaded.askedAtMs) < ageMs;

  /** Loads keys of at most this age. */
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

  /** The last keys of any authorizer; a failed read counts as none. */
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
    // The key may be newer than the loaded ones.
    const certain = await refresh(certainlyFreshMs);
    try {
      return await loaded.find(header, token);
    } catch (error) {
      if (certain || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
      throw new IssuerUnavailable("Cannot fetch the issuer's keys for an unknown key id.");
    }
  };
}
