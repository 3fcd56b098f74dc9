import { GetServiceQuotaCommand, NoSuchResourceException } from '@aws-sdk/client-service-quotas';
import type { AccountClients } from '#infra/operator/preflight/clients.ts';

/** Answers by the names of commands; an error is thrown, a function answers by the input. */
export type Answers = Readonly<Record<string, unknown>>;

/** Answers of an account in which everything is ready, in the shape that AWS's clients give. */
export const readyAnswers: Answers = {
  GetCallerIdentityCommand: { Account: '111111111111' },
  GetServiceQuotaCommand: (input: { QuotaCode: string }) => ({
    Quota: {
      Value: { 'L-B99A9384': 1000, 'L-8A5B8E43': 10_000, 'L-CDF5615A': 5000, 'L-F98FE922': 2500 }[input.QuotaCode],
    },
  }),
  GetAccountSettingsCommand: { AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 } },
  GetFunctionConcurrencyCommand: {},
  DescribeLimitsCommand: { TableMaxReadCapacityUnits: 40_000, TableMaxWriteCapacityUnits: 40_000 },
  // Of SES and of API Gateway: their commands have one name, and no field in common.
  GetAccountCommand: { ProductionAccessEnabled: true, SendingEnabled: true },
  GetEmailIdentityCommand: { VerifiedForSendingStatus: true },
  GetSMSSandboxAccountStatusCommand: { IsInSandbox: false },
  GetSMSAttributesCommand: { attributes: { MonthlySpendLimit: '50' } },
  DescribeCertificateCommand: {
    Certificate: {
      Status: 'ISSUED',
      DomainName: 'api.banco.example',
      SubjectAlternativeNames: ['api.banco.example', '*.callbacks.banco.example'],
      NotAfter: new Date('2027-01-15T00:00:00.000Z'),
    },
  },
  DescribeBudgetsCommand: { Budgets: [] },
};

/** An account that was asked once: every client of it answers what was recorded. Commands are kept in order. */
export function recordedAccount(responses: Answers): { readonly clients: AccountClients; readonly asked: string[] } {
  const asked: string[] = [];
  const send = async (command: { readonly input: unknown }): Promise<unknown> => {
    await Promise.resolve();
    const { name } = command.constructor;
    asked.push(name);
    const response = responses[name];
    if (response instanceof Error) throw response;
    if (response === undefined) throw new Error(`Nothing is recorded for ${name}.`);
    return typeof response === 'function' ? (response as (input: unknown) => unknown)(command.input) : response;
  };
  const client = { send } as never;
  const clients: AccountClients = {
    ...{ identity: client, quotas: client, functions: client, tables: client, gateway: client },
    ...{ mail: client, sms: client, certificates: client, budgets: client, buckets: client },
  };
  return { clients, asked };
}

/** How Service Quotas says that an account never had a quota raised. */
export function neverRaised(input: { QuotaCode: string }): never {
  throw new NoSuchResourceException({ message: `${GetServiceQuotaCommand.name} ${input.QuotaCode}`, $metadata: {} });
}

/** How a service of AWS says no. */
export function denied(name: string): Error {
  return Object.assign(new Error('User is not authorized to perform this.'), { name });
}
