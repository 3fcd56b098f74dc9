import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalBank } from '@banking-order/fake-bank';
import type { TestOperator } from './terminal.ts';

/** Connects the account of a new company to a client of the bank of this machine, as an operator does it. */
export async function connectCompany(
  { json }: Pick<TestOperator, 'json'>,
  bank: Pick<LocalBank, 'apiUrl' | 'tokenUrl' | 'caFile' | 'callbackSubject'>,
  client: LocalBank['client'],
  dir: string,
) {
  const { companyId = '' } = await json('company:create', '--name', 'Loja');
  const holder = ['--name', 'Loja', '--document', '11.222.333/0001-81', '--email', 'a@example.com'];
  const { id: accountId = '' } = await json(
    ...['account:create', '--company', companyId, ...holder, '--phone', '+5511900000101'],
  );
  const folder = join(dir, companyId);
  mkdirSync(folder);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [account] = client.accounts;
  const args = [
    ...['bank:connect', '--company', companyId, '--account', accountId, '--environment', 'local'],
    ...['--api-url', bank.apiUrl, '--token-url', bank.tokenUrl, '--authorities', bank.caFile],
    ...['--client-id', client.id, '--client-secret', file('client-secret', client.secret)],
    ...['--certificate', client.certFile, '--key', client.keyFile, '--callback-subject', bank.callbackSubject],
    ...['--chave', account?.chave ?? '', '--agencia', account?.agencia ?? '', '--conta', account?.conta ?? ''],
    ...['--tipo-conta', account?.tipoConta ?? ''],
  ];
  const { callbackSecret = '' } = await json(...args);
  /** `token`: the file that holds the token of the callbacks; `args`: the command line, for a repetition. */
  return { companyId, accountId, args, callbackSecret, token: file('callback-token', callbackSecret) };
}
