import { createHash, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, CompactSign, exportJWK, exportSPKI } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { thumbprintOf } from '#partner-tools/statement/signed-text.ts';
import { verifyLines } from '#partner-tools/statement/verify.ts';
import { secondHash } from '#test/support/chain-check.ts';
import { fc } from '#test/support/properties.ts';

const accountId = '57827aa1-c3c5-425d-a104-959dd5c0a3b8';
type Entry = Readonly<Record<string, unknown>> & { readonly proof?: Readonly<Record<string, unknown>> };

/** A chain of so many entries, hashed by the second reading of the format. */
function chain(count: number, amounts: Readonly<Record<number, string>> = {}): Entry[] {
  let previous = '0'.repeat(64);
  return Array.from({ length: count }, (_, place) => {
    const entry = {
      id: `4b5a6978-8796-4a5b-9c4d-${String(place).padStart(12, '0')}`,
      ...{ accountId, type: 'PAY_IN', available: amounts[place] ?? '0.10', reserved: '0.00', blocked: '0.00' },
      createdAt: `2026-01-15T15:${String(place % 60).padStart(2, '0')}:05.123Z`,
      endToEndId: 'E60701190202601151205A1b2C3d4E5f',
      counterparty: {
        name: 'Ação & "Cia" \u{1F600}\n',
        document: { type: 'CPF', number: '52998224725' },
        bank: { ispb: '60701190', branch: '0001', account: '123456-7' },
      },
    };
    const hash = secondHash(previous, entry);
    const proof = { version: 1, position: place + 1, minute: entry.createdAt.slice(0, 16), previous, hash };
    previous = hash;
    return { ...entry, proof };
  });
}

const sha256 = (...parts: readonly (Buffer | string)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};
const leafHash = (leaf: string): Buffer => Buffer.from(sha256(Buffer.from([0]), leaf), 'hex');
const nodeHash = (...parts: readonly Buffer[]): Buffer => Buffer.from(sha256(Buffer.from([1]), ...parts), 'hex');

async function verify(entries: readonly unknown[], key?: string) {
  return verifyLines(
    (async function* () {
      yield* await Promise.resolve(entries.map((entry) => JSON.stringify(entry)));
    })(),
    key,
  );
}

describe('the verifier of a statement', () => {
  it('says how many entries there are, their sum, times, positions and last hash, in whatever order they come', async () => {
    const entries = chain(5);
    const verdict = await verify(entries.toReversed());
    expect(verdict).toMatchObject({ ok: true, accountId, count: 5, first: 1, last: 5, total: 50, unchained: 0 });
    expect(verdict).toMatchObject({ from: '2026-01-15T15:00:05.123Z', to: '2026-01-15T15:04:05.123Z' });
    expect(verdict).toMatchObject({ hash: entries.at(-1)?.proof?.['hash'] });
  });

  it('takes a file that begins later, entries that are not chained yet, and fields of later releases', async () => {
    const [, second, third, fourth] = chain(4);
    const { proof: _proof, ...open } = fourth ?? {};
    expect(await verify([{ ...second, later: 'x' }, third, open])).toMatchObject({
      ...{ ok: true, count: 2, first: 2, last: 3, unchained: 1, total: 30 },
    });
  });

  it.each([
    ['changed', (all: Entry[]) => all.with(2, { ...all[2], available: '0.20' }), /-000000000002 .*:02.*was changed/u],
    ['without a reference', (all: Entry[]) => all.with(2, { ...all[2], endToEndId: undefined }), /was changed/u],
    ['missing', (all: Entry[]) => all.toSpliced(2, 1), /missing.*position/u],
    ['there twice', (all: Entry[]) => [...all, all[2]], /does not follow|there twice/u],
    ['of another account', (all: Entry[]) => all.with(2, { ...all[2], accountId: all[2]?.['id'] }), /two accounts/u],
    ['no entry', (all: Entry[]) => all.with(2, {}), /Line 3 is no entry/u],
  ])('names the error when an entry is %s', async (_name, change, error) => {
    const verdict = await verify(change(chain(5)));
    expect(verdict).toMatchObject({ ok: false, error: expect.stringMatching(error) as string });
  });

  it('refuses a first entry that follows none and is not behind zeros, and a file without any proof', async () => {
    const [first] = chain(1);
    const previous = '1'.repeat(64);
    const { proof, ...entry } = first ?? {};
    const hash = secondHash(previous, entry);
    expect(await verify([{ ...entry, proof: { ...proof, previous, hash } }])).toMatchObject({ ok: false });
    expect(await verify([entry])).toEqual({ ok: false, error: 'The file has no entry with a proof.' });
  });

  it('refuses any file in which one character of one entry is another one', async () => {
    const lines = chain(4).map((entry) => JSON.stringify(entry));
    await fc.assert(
      fc.asyncProperty(fc.nat(3), fc.nat(2_000), fc.constantFrom('0', 'f', '7'), async (place, at, digit) => {
        const line = lines[place] ?? '';
        const changed = line.slice(0, at % line.length) + digit + line.slice((at % line.length) + 1);
        const entry = ((): unknown => {
          try {
            return JSON.parse(changed);
          } catch {
            return undefined;
          }
        })();
        const before: unknown = JSON.parse(line);
        fc.pre(entry !== undefined && JSON.stringify(entry) !== JSON.stringify(before));
        // A last entry without a proof is one that is not chained yet.
        fc.pre(place < 3 || (entry as Entry).proof !== undefined);
        // The minute of a proof, and members of unknown names, are not covered.
        const isCovered = ({ proof, ...own }: Entry) => JSON.stringify([own, { ...proof, minute: '', version: 1 }]);
        fc.pre(isCovered(entry as Entry) !== isCovered(before as Entry));
        const all = lines.with(place, changed).map((one) => JSON.parse(one) as unknown);
        expect((await verify(all)).ok).toBe(false);
      }),
      { numRuns: 400 },
    );
  });
});

/** Roots by the words of docs/statement-proofs.md, signed by another library than the service's. */
describe('the verifier of signed roots', () => {
  const entries = chain(6);
  const hashAt = (position: number): string => String(entries[position - 1]?.proof?.['hash']);
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = 'ab'.repeat(32);
  type Change = {
    readonly payload?: object;
    readonly header?: object;
    readonly line?: object;
    readonly inclusion?: object;
  };
  let kid = '';

  beforeAll(async () => {
    kid = await calculateJwkThumbprint(await exportJWK(pair.publicKey));
  });

  /** The root of a minute, with a tree of two accounts: ours is on the left or on the right. */
  async function rootAt(position: number, minute: string, change: Change = {}, key = pair) {
    const jwk = await exportJWK(key.publicKey);
    const leaf = leafHash(JSON.stringify({ accountId, hash: hashAt(position), position, version: 1 }));
    const beside = Buffer.from(other, 'hex');
    const side = position % 2 === 0 ? 'LEFT' : 'RIGHT';
    const root = nodeHash(...(side === 'LEFT' ? [beside, leaf] : [leaf, beside])).toString('hex');
    const payload = { version: 1, minute, root, signedAt: `${minute}:59.000Z`, ...change.payload };
    const header = { alg: 'ES256', typ: 'statement-root+jws', kid: await calculateJwkThumbprint(jwk), jwk };
    const jws = await new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ ...header, ...change.header })
      .sign(key.privateKey);
    const inclusion = {
      accountId,
      position,
      hash: hashAt(position),
      path: [{ side, hash: other }],
      ...change.inclusion,
    };
    return { minute, root, signedAt: payload.signedAt, jws, inclusion, ...change.line };
  }
  const [early, late] = ['2026-01-15T15:01', '2026-01-15T15:04'];

  it('says to which entry, minute and key a statement is signed', async () => {
    const roots = [await rootAt(5, late), await rootAt(2, early)];
    const signed = { position: 5, minute: late, key: kid };
    expect(await verify([...roots, ...entries.toReversed()])).toMatchObject({ ok: true, count: 6, signed });
    expect(await verify([...roots, ...entries], kid)).toMatchObject({ ok: true, signed });
    expect(await verify([roots[1], ...entries.slice(3)])).not.toHaveProperty('signed');
    expect(await verify(entries)).not.toHaveProperty('signed');
    expect(await verify(entries, kid)).toEqual({ ok: false, error: 'No signed root of the file covers an entry.' });
    expect(await verify([roots[1], ...entries.slice(3)], kid)).toMatchObject({ ok: false });
  });

  it('takes a root that follows the one before it in the file, and refuses one that follows another', async () => {
    const first = await rootAt(2, early);
    const follows = async (hash: string) => rootAt(5, late, { payload: { previous: { minute: early, hash } } });
    const good = await follows(sha256(first.jws));
    expect(await verify([first, good, ...entries])).toMatchObject({ ok: true });
    expect(await verify([first, await follows(other), ...entries])).toMatchObject({
      error: `The root of ${late} does not follow that of ${early}.`,
    });
  });

  it.each<[string, Change, string]>([
    ['another root', { line: { root: other } }, 'is not what was signed'],
    ['another minute', { line: { minute: '2026-01-15T15:02' } }, 'is not what was signed'],
    ['another type', { header: { typ: 'payment-certificate+jws' } }, 'has no valid signature'],
    ['a later version', { payload: { version: 2 } }, 'has no valid signature'],
    ['another kid', { header: { kid: 'x' } }, 'has no valid signature'],
    ['a path of another account', { inclusion: { path: [{ side: 'LEFT', hash: 'cd'.repeat(32) }] } }, 'does not cover'],
    ['no path', { inclusion: { path: [] } }, 'does not cover'],
    ['another position', { inclusion: { position: 3 } }, 'does not cover'],
    ['another account', { inclusion: { accountId: '57827aa1-c3c5-425d-a104-959dd5c0a3b9' } }, 'does not cover'],
  ])('refuses a root with %s', async (_name, change, error) => {
    const verdict = await verify([await rootAt(2, early, change), ...entries]);
    expect(verdict).toMatchObject({ ok: false, error: expect.stringContaining(error) as string });
  });

  it('refuses a signed root when one character of its text is another one', async () => {
    const good = await rootAt(2, early);
    for (const part of [0, 1, 2]) {
      const parts = good.jws.split('.');
      const text = parts[part] ?? '';
      const changed = text.slice(0, 9) + (text[9] === 'A' ? 'B' : 'A') + text.slice(10);
      const verdict = await verify([{ ...good, jws: parts.with(part, changed).join('.') }, ...entries]);
      expect(verdict).toMatchObject({ ok: false });
    }
  });

  it('refuses a root of another key than the one that is expected, or than that of the other roots', async () => {
    const strange = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const forged = await rootAt(2, early, {}, strange);
    expect(await verify([forged, ...entries])).toMatchObject({ ok: true });
    const error = expect.stringContaining('is signed by the key') as string;
    expect(await verify([forged, ...entries], kid)).toMatchObject({ ok: false, error });
    expect(await verify([await rootAt(5, late), forged, ...entries])).toMatchObject({ ok: false, error });
  });

  it('names the entry that is not the one that was signed, also when the whole chain behind it was made anew', async () => {
    const root = await rootAt(4, late);
    const changed = chain(6, { 3: '0.20' });
    const verdict = await verify([root, ...changed]);
    expect(verdict).toMatchObject({
      ok: false,
      error: expect.stringMatching(/-000000000003 .*not the one/u) as string,
    });
  });

  it('reads the thumbprint of a key from its file', async () => {
    expect(thumbprintOf(await exportSPKI(pair.publicKey))).toBe(kid);
    expect(() => thumbprintOf('no key')).toThrow();
  });
});
