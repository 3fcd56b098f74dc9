import { createHash } from 'node:crypto';
import * as z from 'zod';
import { verifySigned } from './signed-text.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/u);
const Step = z.object({ side: z.enum(['LEFT', 'RIGHT']), hash: Hash });
/** A line of a file that is no entry: a signed root that shows the account. */
export const RootLine = z.looseObject({
  minute: z.string(),
  root: Hash,
  jws: z.string(),
  inclusion: z.looseObject({ accountId: z.string(), position: z.int(), hash: Hash, path: z.array(Step) }),
});
type RootLine = z.output<typeof RootLine>;

/** A later release may add members. */
const Payload = z.object({
  version: z.literal(1),
  minute: z.string(),
  root: Hash,
  signedAt: z.string(),
  previous: z.object({ minute: z.string(), hash: Hash }).optional(),
});

/** The last entry that a root covers; `key` is the thumbprint of the key that signed all roots of the file. */
export type SignedTo = { readonly position: number; readonly minute: string; readonly key: string };

/** Collects the roots of a file, which come before its entries: each says which entry was the last at its minute. */
export function rootVerifier(expectedKey: string | undefined) {
  /** The hash of an entry, by its position. */
  const signed = new Map<number, string>();
  const minutes = new Map<number, string>();
  const hashes = new Map<string, string>();
  const previous: { readonly at: string; readonly minute: string; readonly hash: string }[] = [];
  let key = expectedKey;
  return {
    /** Returns what is wrong with a root; undefined if it verifies. */
    add: (accountId: string | undefined, line: RootLine): string | undefined => {
      const { inclusion, minute, jws } = line;
      const of = `The root of ${minute} (account ${inclusion.accountId})`;
      if (accountId !== undefined && accountId !== inclusion.accountId) return `${of} is of another account.`;
      const text = verifySigned(jws, 'statement-root+jws');
      const payload = Payload.safeParse(text?.payload).data;
      if (text === undefined || payload === undefined) return `${of} has no valid signature.`;
      key ??= text.key;
      if (text.key !== key) return `${of} is signed by the key ${text.key}, not by ${key}.`;
      if (payload.minute !== minute || payload.root !== line.root) return `${of} is not what was signed.`;
      if (climb(inclusion) !== payload.root) return `${of} does not cover this account.`;
      const { position, hash } = inclusion;
      if ((signed.get(position) ?? hash) !== hash) return `${of} covers another entry at position ${position}.`;
      signed.set(position, hash);
      minutes.set(position, minute);
      hashes.set(minute, createHash('sha256').update(jws).digest('hex'));
      if (payload.previous !== undefined) previous.push({ at: minute, ...payload.previous });
      return undefined;
    },
    /** Whether the entry at this position is the one that was signed there, where one was. */
    covers: (position: number, hash: string): boolean => (signed.get(position) ?? hash) === hash,
    /** Returns what is wrong between roots; undefined if each follows the one before it, where both are there. */
    order: (): string | undefined => {
      const broken = previous.find(({ minute, hash }) => (hashes.get(minute) ?? hash) !== hash);
      return broken && `The root of ${broken.at} does not follow that of ${broken.minute}.`;
    },
    /** Returns the last of these positions that a root covers. */
    last: (first: number, last: number): SignedTo | undefined => {
      const position = [...signed.keys()].filter((at) => at >= first && at <= last).toSorted((a, b) => b - a)[0];
      if (position === undefined || key === undefined) return undefined;
      return { position, minute: minutes.get(position) ?? '', key };
    },
  };
}

/** The root to which the path of an account leads (RFC 6962 section 2.1). */
function climb({ accountId, position, hash, path }: RootLine['inclusion']): string {
  const sha256 = (...parts: readonly (Buffer | string)[]): Buffer =>
    parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest();
  const leaf = sha256(Buffer.from([0]), JSON.stringify({ accountId, hash, position, version: 1 }));
  const node = Buffer.from([1]);
  return path
    .reduce((at, step) => {
      const beside = Buffer.from(step.hash, 'hex');
      return step.side === 'LEFT' ? sha256(node, beside, at) : sha256(node, at, beside);
    }, leaf)
    .toString('hex');
}
