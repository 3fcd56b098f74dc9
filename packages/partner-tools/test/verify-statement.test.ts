import { describe, expect, it } from 'vitest';
import { verifyLines } from '#partner-tools/statement/verify.ts';
import { secondHash } from '#test/support/chain-check.ts';
import { fc } from '#test/support/properties.ts';

const accountId = '57827aa1-c3c5-425d-a104-959dd5c0a3b8';
type Entry = Readonly<Record<string, unknown>> & { readonly proof?: Readonly<Record<string, unknown>> };

/** A chain of so many entries, hashed by the second reading of the format. */
function chain(count: number): Entry[] {
  let previous = '0'.repeat(64);
  return Array.from({ length: count }, (_, place) => {
    const entry = {
      id: `4b5a6978-8796-4a5b-9c4d-${String(place).padStart(12, '0')}`,
      ...{ accountId, type: 'PAY_IN', available: '0.10', reserved: '0.00', blocked: '0.00' },
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

async function verify(entries: readonly unknown[]) {
  return verifyLines(
    (async function* () {
      yield* await Promise.resolve(entries.map((entry) => JSON.stringify(entry)));
    })(),
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
