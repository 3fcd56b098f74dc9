import type { Key } from '../keys.ts';
import { readKey } from '../keys.ts';
import { endToEndId } from '../ids.ts';
import type { BankResponse } from '../refusal.ts';
import { findAccount } from './accounts.ts';
import { maskedOwner, personType } from './masks.ts';
import { partyOf } from './ledger.ts';
import type { Kinds, Party } from './model.ts';
import { errorResponse, invalidPayload, notFound } from './refusals.ts';
import { bankIspb } from './session.ts';
import type { Operation, Session } from './session.ts';

/** Names of the institutions of the examples; any other has its ISPB. */
const institutions: Readonly<Record<string, { readonly name: string; readonly code: string }>> = {
  '60746948': { name: 'BCO BRADESCO S.A.', code: '237' },
  [bankIspb]: { name: 'QI SCD', code: '329' },
};

/** Returns the name of an institution. */
export function institutionName(ispb: string): string {
  return institutions[ispb]?.name ?? `BANCO ${ispb}`;
}

/** Owner of every valid key that was not set, as far as the key does not give another document. */
const anyOwner: Party = {
  account_branch: '452',
  account_number: '370158',
  account_digit: '1',
  account_type: 'checking_account',
  owner_document_number: '52998224725',
  owner_name: 'Maria Souza',
  ispb: '60746948',
};

/** A CPF or CNPJ directly before the `@`, as in `maria.52998224725@example.com`: callers choose an owner by it. */
const documentInAddress = /(?:^|[.+_-])(\d{11}|[0-9a-z]{12}\d{2})@/u;

/** Returns the document of the owner that a key gives: a CPF or CNPJ, or the one in an e-mail address. */
function documentOf({ kind, chave }: Key): string | undefined {
  if (kind === 'CPF' || kind === 'CNPJ') return chave;
  const text = kind === 'EMAIL' ? documentInAddress.exec(chave)?.[1]?.toUpperCase() : undefined;
  const found = text === undefined ? undefined : readKey(text);
  return found?.kind === 'CPF' || found?.kind === 'CNPJ' ? found.chave : undefined;
}

/** Returns the entry of a valid key in the directory; undefined for any other text. */
export function entryOf(session: Session, text: string): Kinds['key'] | undefined {
  const key = readKey(text);
  if (key === undefined) return undefined;
  const { chave } = key;
  const account = session
    .ownerOf(chave)
    ?.drawer.list('account')
    .find(({ pix_keys: keys }) => keys.includes(chave));
  if (account !== undefined) return { ...partyOf(account), state: 'FOUND' };
  const document = documentOf(key);
  const own = document === undefined ? {} : { owner_document_number: document };
  return session.common.find('key', chave) ?? { ...anyOwner, ...own, state: 'FOUND' };
}

export const directoryOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/pix_key/:pix_key',
    run: (session, { params, query }) => {
      const pixKey = params['pix_key'] ?? '';
      const account = query.get('account_key');
      if (account !== null) findAccount(session, account);
      const entry = entryOf(session, pixKey);
      if (entry === undefined) throw invalidPayload(`${pixKey} is not a pix key`);
      if (entry.state === 'UNKNOWN') return unknownKey(session, pixKey);
      const { drawer, ids, now } = session;
      const inquiry = { end_to_end_id: endToEndId(bankIspb, now, ids), pix_key: pixKey, isUsed: false };
      drawer.save('inquiry', inquiry.end_to_end_id, inquiry);
      return { status: 200, body: keyView(session, entry, inquiry, query.get('document_number')) };
    },
  },
];

function unknownKey({ settings }: Session, pixKey: string): BankResponse {
  switch (settings.unknownKey) {
    case 'NOT_FOUND':
      throw notFound(`Pix key ${pixKey} not found`, `Chave pix ${pixKey} não encontrada`);
    case 'UNPROCESSABLE':
      return errorResponse({
        status: 422,
        code: 'PIX000077',
        title: 'Unprocessable Entity',
        description: `Error when querying pix key ${pixKey}`,
        translation: `Erro ao consultar chave pix ${pixKey}`,
      });
    case 'ABSENT':
      return { status: 200, body: { exists: false, pix_key: pixKey } };
  }
}

function keyView(
  { settings, now }: Session,
  entry: Party,
  { end_to_end_id, pix_key }: Kinds['inquiry'],
  asked: string | null,
) {
  const { account_branch, account_digit, account_number, account_type, owner_document_number: document } = entry;
  const account = { account_branch, account_created_at: now, account_digit, account_number, account_type };
  return {
    ...(settings.directoryShowsAccount && account),
    bank_code: institutions[entry.ispb]?.code ?? null,
    end_to_end_id,
    financial_institution: institutionName(entry.ispb),
    is_pix_key_owner: asked === null ? null : asked === document,
    ispb: entry.ispb,
    owner_masked_document_number: maskedOwner(document),
    owner_name: entry.owner_name,
    owner_person_type: personType(document),
    owner_trading_name: null,
    pix_key,
  };
}
