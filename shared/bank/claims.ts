import { recognisePixKey } from '../core/pix-key.ts';
import { pick } from '../core/pick.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { keys } from '../platform/table/keys.ts';
import type { Delete, Item, Put, Store } from '../platform/table/store.ts';
import type { BankConnection, CompanyBanks, ConnectedAccount } from './connection.ts';
import { liveConnections } from './connection.ts';
import { connecting } from './dialects/dialects.ts';

/** Exclusive claim of a company on an OAuth client, or of one of its accounts on a PIX key or an account at a bank. */
export type Claim = {
  readonly kind: 'CHAVE' | 'CLIENT' | 'ACCOUNT';
  readonly value: string;
  readonly accountId?: string;
};

const originOf = (url: string): string => new URL(url).origin;

/** Returns the name of an account at a bank: origin of the API, and its place as the dialect names it. */
export function placeAtBank(
  { apiUrl, dialect }: Pick<BankConnection, 'apiUrl' | 'dialect'>,
  account: ConnectedAccount,
): string {
  return `${originOf(apiUrl)} ${connecting[dialect].placeOf(account)}`;
}

type Claiming = Pick<BankConnection, 'dialect' | 'apiUrl' | 'tokenUrl' | 'clientId' | 'accounts'>;

/** Everything that a connection claims. */
export function claimsOf(connection: Claiming): readonly Claim[] {
  const { apiUrl, tokenUrl = apiUrl, clientId, accounts } = connection;
  return [
    { kind: 'CLIENT', value: `${originOf(tokenUrl)} ${clientId}` },
    ...Object.entries(accounts).flatMap(([accountId, account]): Claim[] => [
      ...keyClaims(account, accountId),
      { kind: 'ACCOUNT', value: placeAtBank(connection, account), accountId },
    ]),
  ];
}

/** The key of an account, as the DICT spells it. */
function keyClaims({ chave }: ConnectedAccount, accountId: string): readonly Claim[] {
  if (chave === undefined) return [];
  return [{ kind: 'CHAVE', value: recognisePixKey(chave)?.key ?? chave.toLowerCase(), accountId }];
}

function keyOf(hash: Hash, { kind, value }: Claim) {
  return keys.bankClaim(hash('BANK_CLAIM', kind, value));
}

/** Claims free values, and keeps values that the company has claimed. Belongs in the transaction of the connection. */
export function claimPuts(hash: Hash, companyId: string, claims: readonly Claim[]): readonly Put[] {
  return claims.map((claim) => {
    const owner = { companyId, ...pick(claim, 'accountId') };
    const put = { ...keyOf(hash, claim), entity: 'BANK_CLAIM', kind: claim.kind, ...owner };
    return { put, when: { any: [{ is: 'absent' }, { equals: owner }] } };
  });
}

/** Frees claims of the company. Pass only claims that none of its connections needs any more. */
export function claimDeletes(hash: Hash, companyId: string, claims: readonly Claim[]): readonly Delete[] {
  return claims.map((claim) => ({ delete: keyOf(hash, claim), when: { equals: { companyId } } }));
}

type Other = { readonly kind: Claim['kind']; readonly by: 'COMPANY' | 'ACCOUNT' };

/**
 * Returns the first claim that belongs to another company or to another account of this company. Two accounts in
 * `claims` with the same claim count, too.
 */
export async function claimedByOther(
  store: Pick<Store, 'read'>,
  hash: Hash,
  companyId: string,
  claims: readonly Claim[],
): Promise<Other | undefined> {
  const byName = Map.groupBy(claims, nameOf);
  const named = [...byName.values()].flatMap(([claim]) => claim ?? []);
  const items = await store.read(named.map((claim) => keyOf(hash, claim)));
  const others = named.flatMap(({ kind, accountId, value }, at): Other[] => {
    const item: Item | undefined = items[at];
    if (item !== undefined && item['companyId'] !== companyId) return [{ kind, by: 'COMPANY' }];
    const isShared = byName.get(nameOf({ kind, value }))?.some((claim) => claim.accountId !== accountId) === true;
    return isShared || (item !== undefined && item['accountId'] !== accountId) ? [{ kind, by: 'ACCOUNT' }] : [];
  });
  return others[0];
}

function nameOf({ kind, value }: Claim): string {
  return `${kind} ${value}`;
}

/** Returns the claims that the live connections of a company lose once `next` replaces some of them. */
export function freedClaims(banks: CompanyBanks, next: readonly BankConnection[]): readonly Claim[] {
  const before = liveConnections(banks);
  const after = before.map((connection) => next.find(({ id }) => id === connection.id) ?? connection);
  const kept = new Set(
    after
      .filter(({ endedAt }) => endedAt === undefined)
      .flatMap(claimsOf)
      .map(nameOf),
  );
  const freed = new Map(before.flatMap(claimsOf).map((claim) => [nameOf(claim), claim]));
  return [...freed].filter(([name]) => !kept.has(name)).map(([, claim]) => claim);
}
