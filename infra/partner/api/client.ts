import type { Contract } from '#shared/contract/contract.ts';
import type { Company, Sandbox } from '../sandbox.ts';
import type { Answer } from './answers.ts';
import { readAnswer, readRefusal } from './answers.ts';
import type { Refused } from './error-answer.ts';
import type { Received, Send, Sent } from './http.ts';
import type { AnyAsk, Ask } from './request.ts';
import { requestOf } from './request.ts';
import { fetchToken } from './token.ts';

/** A partner's system: it has credentials, gets itself tokens and calls the service by its contracts. */
export type Partner = Company & {
  readonly token: () => Promise<string>;
  /** Expects success, read strictly by the contract. */
  readonly call: <C extends Contract>(contract: C, ask?: Ask<C>) => Promise<Answer<C>>;
  /** Expects an error of the contract. */
  readonly refused: (contract: Contract, ask?: AnyAsk) => Promise<Refused>;
  /** The answer as it came, to a request built from the contract. */
  readonly answer: (contract: Contract, ask?: AnyAsk) => Promise<Received>;
  /** The answer as it came, to any request; the token is added unless `authorization` is given. */
  readonly raw: (sent: Sent) => Promise<Received>;
};

export type Addresses = Pick<Sandbox, 'baseUrl' | 'tokenUrl' | 'scope'>;

/** A company's system at an environment. It keeps one token. */
export function connectPartner(addresses: Addresses, company: Company, send: Send): Partner {
  let known: Promise<string> | undefined;
  const token = (): Promise<string> => (known ??= fetchToken(addresses, company, send));
  const raw = async (sent: Sent): Promise<Received> =>
    send(addresses.baseUrl, { ...sent, headers: { authorization: `Bearer ${await token()}`, ...sent.headers } });
  const answer = (contract: Contract, ask: AnyAsk = {}): Promise<Received> => raw(requestOf(contract, ask));
  return {
    ...company,
    token,
    raw,
    answer,
    call: async (contract, ask) => readAnswer(contract, await answer(contract, ask)),
    refused: async (contract, ask) => readRefusal(contract, await answer(contract, ask)),
  };
}
