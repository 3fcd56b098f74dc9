import type { Asked, Script } from './scripted-bank.ts';
import { accountId, companyId } from './scripted-bank.ts';

export const at = '2026-01-15T12:00:00.000Z';
export const context = { companyId, connection: undefined, at };
export const reference = '0123456789abcdef0123456789abcd00';
export const account = {
  name: 'Padaria',
  document: '11222333000181',
  bank: { ispb: '09089356', account: '1234567' },
  id: accountId,
};
export const payer = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } } as const;
export const first = { again: false, whenUnknown: 'ASK' } as const;
export const repeated = {
  ...first,
  again: { repetition: 'REFUSED', mayRepeat: () => Promise.resolve(false) },
} as const;
export const e2e = 'E09089356202601151200abcdefghijk';
export const rtr = 'D09089356202601151200abcdefghijk';

export const refusal = (code: string, razao: string) => ({
  status: 400,
  body: { type: `x/${code}`, title: 'x', violacoes: [{ razao, propriedade: 'p' }] },
});

/** Answers by method and path; what is not named is 404. */
export function byPath(table: Readonly<Record<string, ReturnType<Script>>>): Script {
  return ({ method, path }: Asked) => {
    const missing = {
      status: 404,
      body: { type: 'https://pix.bcb.gov.br/api/v2/error/NaoEncontrado', title: 'Não encontrado' },
    };
    return table[`${method} ${path.split('?')[0] ?? ''}`] ?? missing;
  };
}
