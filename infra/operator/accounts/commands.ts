import type { Account } from '#shared/accounts/model.ts';
import { bankAccountTypes, holderDocumentTypes, holderTypes } from '#shared/accounts/model.ts';
import { formatAmount } from '#shared/core/money.ts';
import { pick } from '#shared/core/pick.ts';
import type { Balance } from '#shared/platform/ledger/balance.ts';
import { accountStatuses } from '#shared/platform/ledger/balance.ts';
import type { Command, CommandOutput } from '../command.ts';
import { command, listCommand, optional, required } from '../command.ts';
import * as read from '../values.ts';
import { holderDocument, UsageError } from '../values.ts';
import { createAccount, deposit, listAccounts, setAccountStatus, setPayoutLimit, setShards } from './accounts.ts';

const companyId = required(read.Id, 'The company.', 'company');
const accountId = required(read.Id, 'The account.', 'account');
const newAccount = {
  companyId,
  fullName: required(read.HolderName, 'Full name of the holder, with a Latin letter.', 'name'),
  document: required(read.Text, 'CPF or CNPJ, with or without mask, or another document.'),
  documentType: optional(read.oneOf('TYPE', holderDocumentTypes), 'Default CPF or CNPJ, by length.'),
  email: required(read.Email, 'E-mail address of the holder.'),
  phone: required(read.Phone, 'Phone of the holder, such as +5511987654321.'),
  holderType: optional(read.oneOf('TYPE', holderTypes), 'Default by CPF or CNPJ, else unknown.'),
  ispb: optional(read.Ispb, 'ISPB of the institution that keeps the account. May be omitted only locally.'),
  branchNumber: optional(read.Branch, 'Branch number. Default 0001.', 'branch'),
  accountNumber: optional(read.AccountNumber, 'Account number with its check digit. Default random.'),
  accountType: optional(read.oneOf('TYPE', bankAccountTypes), 'Default PAYMENT_ACCOUNT.'),
  pixTransactionLimit: optional(
    read.Amount,
    'Largest amount of one PIX payment. A larger payout is split.',
    'pix-limit',
  ),
  openingBalance: optional(read.Amount, 'Opening balance, such as 1000.00. Default 0.'),
  status: optional(read.oneOf('STATUS', accountStatuses), 'Default ACTIVE.'),
  accountId: optional(read.Id, 'A UUID that you choose: a repeated command then creates no second account.'),
};

export const accountCommands: Readonly<Record<string, Command>> = {
  'account:create': command('Creates an account of a company.', newAccount, async (dependencies, values) => {
    const { documentType, ispb = dependencies.ispb } = values;
    const document = holderDocument(values.document, documentType);
    const byDocument = { CPF: 'INDIVIDUAL', CNPJ: 'ORGANIZATION' } as const;
    const byType = document.type === 'CPF' || document.type === 'CNPJ' ? byDocument[document.type] : null;
    if (ispb === undefined) throw new UsageError('--ispb is required.');
    const { holderType = byType } = values;
    return accountFacts(await createAccount(dependencies, { ...values, document, ispb, holderType }));
  }),
  'account:list': listCommand(
    'Lists the accounts of a company, oldest first.',
    { companyId },
    async (dependencies, company) => (await listAccounts(dependencies, company.companyId)).map(accountFacts),
    'The company has no accounts.',
  ),
  'account:status': command(
    'Changes the status of an account. Only an empty account can be closed; a closed account stays closed.',
    { companyId, accountId, status: required(read.oneOf('STATUS', accountStatuses)) },
    async (dependencies, wanted) => accountFacts(await setAccountStatus(dependencies, wanted)),
  ),
  'account:limit': command(
    'Limits the payouts that an account creates in a minute: above it they get 429.',
    { companyId, accountId, payoutsAMinute: required(read.PayoutsAMinute, 'Payouts a minute. 0 removes the limit.') },
    async (dependencies, wanted, print) => {
      const account = await setPayoutLimit(dependencies, wanted);
      if (account.payoutsAMinute === undefined) print('Limit removed.');
      return accountFacts(account);
    },
  ),
  'account:shards': command(
    'Sets the number of shards of the balance that new payments use. More of them take more payments a second. ' +
      'None is ever removed: for good, each page of the statement costs a read unit and a query for each shard.',
    { companyId, accountId, shards: required(read.Shards, 'Shards. A new account has 1.') },
    async (dependencies, wanted) => accountFacts(await setShards(dependencies, wanted)),
  ),
  'account:deposit': command(
    'Books money that was received outside the service.',
    {
      companyId,
      accountId,
      amount: required(read.Amount, 'Amount in BRL, such as 1000.00.'),
      key: optional(
        read.IdempotencyKey,
        'Idempotency key: a key books only once. If the outcome is unknown, repeat the command with the same key.',
      ),
    },
    async (dependencies, wanted) => {
      const { key, entryId, balance } = await deposit(dependencies, wanted);
      return { key, entryId, ...balanceFacts(balance) };
    },
  ),
};

function accountFacts(account: Account): CommandOutput {
  const { id, companyId, status, holderType, fullName, document, bankAccountData, createdAt } = account;
  const { ispb, branchNumber, accountNumber } = bankAccountData;
  return {
    id,
    companyId,
    status,
    holderType,
    fullName,
    document: `${document.type} ${document.number}`,
    bank: `${ispb} ${branchNumber} ${accountNumber}`,
    shards: account.shards ?? 1,
    ...pick(account, 'payoutsAMinute', 'equalPayouts'),
    createdAt,
  };
}

function balanceFacts({ accountId, available, reserved, blocked }: Balance): CommandOutput {
  return {
    accountId,
    currency: 'BRL',
    available: formatAmount(available),
    reserved: formatAmount(reserved),
    blocked: formatAmount(blocked),
  };
}
