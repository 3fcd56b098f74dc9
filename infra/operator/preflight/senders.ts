import { GetAccountCommand, GetEmailIdentityCommand, NotFoundException } from '@aws-sdk/client-sesv2';
import { GetSMSAttributesCommand, GetSMSSandboxAccountStatusCommand } from '@aws-sdk/client-sns';
import type { CodeSenders, EnvironmentSettings } from '#infra/settings.ts';
import type { AccountClients } from './clients.ts';
import type { Check, Verdict } from './finding.ts';

/** Returns the checks of Amazon SES and SNS. There are none if the environment sends no codes. */
export function senderChecks(clients: AccountClients, { keys, alarms }: EnvironmentSettings): readonly Check[] {
  const { senders } = keys;
  if (senders === undefined) return [];
  return [
    { name: 'SES: sandbox', action: 'ses:GetAccount', judge: () => judgeMail(clients, senders) },
    { name: 'SES: sender', action: 'ses:GetEmailIdentity', judge: () => judgeSender(clients, senders) },
    {
      name: 'SNS: sandbox of text messages',
      action: 'sns:GetSMSSandboxAccountStatus',
      judge: () => judgeSms(clients, senders),
    },
    {
      name: 'SNS: spending on text messages',
      action: 'sns:GetSMSAttributes',
      judge: () => judgeSpending(clients, alarms.monthlyDollars?.messages ?? 0),
    },
  ];
}

/** Checks the sandbox: a listed recipient can be verified in it, a partner's customer cannot. */
function judgeSandbox(isClosed: boolean, { recipients }: CodeSenders, cure: string): Verdict {
  if (!isClosed) return { ok: 'the account is not in the sandbox' };
  if (recipients !== 'ANYONE') return { ok: 'in the sandbox: each address of `recipients` must be verified' };
  return { error: 'in the sandbox, but `recipients` is ANYONE', cure };
}

async function judgeMail({ mail }: AccountClients, senders: CodeSenders): Promise<Verdict> {
  const { ProductionAccessEnabled, SendingEnabled } = await mail.send(new GetAccountCommand({}));
  if (SendingEnabled === false)
    return { error: 'sending is paused', cure: 'Check the status of the account in the Amazon SES console.' };
  return judgeSandbox(
    ProductionAccessEnabled !== true,
    senders,
    'aws sesv2 put-account-details --production-access-enabled: docs/deployment.md, step 4 (takes days).',
  );
}

/** Checks that the sender's address or its domain is a verified identity. */
async function judgeSender({ mail }: AccountClients, { emailFrom }: CodeSenders): Promise<Verdict> {
  const isVerified = async (EmailIdentity: string): Promise<boolean> => {
    try {
      const identity = await mail.send(new GetEmailIdentityCommand({ EmailIdentity }));
      return identity.VerifiedForSendingStatus === true;
    } catch (error) {
      if (error instanceof NotFoundException) return false;
      throw error;
    }
  };
  const domain = emailFrom.slice(emailFrom.indexOf('@') + 1);
  if ((await isVerified(domain)) || (await isVerified(emailFrom))) return { ok: emailFrom };
  return {
    error: `${emailFrom} is not a verified identity`,
    cure: `aws sesv2 create-email-identity --email-identity ${domain}, then create its DNS records: docs/deployment.md, step 4.`,
  };
}

async function judgeSms({ sms }: AccountClients, senders: CodeSenders): Promise<Verdict> {
  const { IsInSandbox } = await sms.send(new GetSMSSandboxAccountStatusCommand({}));
  return judgeSandbox(
    IsInSandbox !== false,
    senders,
    'Leave the SMS sandbox: open a case with AWS Support in the Amazon SNS console (takes days).',
  );
}

async function judgeSpending({ sms }: AccountClients, dollars: number): Promise<Verdict> {
  const { attributes } = await sms.send(new GetSMSAttributesCommand({ attributes: ['MonthlySpendLimit'] }));
  // Amazon SNS returns no limit that was never set: it is 1 US dollar then.
  const limit = Number(attributes?.['MonthlySpendLimit'] ?? 1);
  const message = `limit of ${limit} US dollars a month; alarms.monthlyDollars.messages is ${dollars}`;
  if (limit >= dollars) return { ok: message };
  return {
    error: message,
    cure: `aws sns set-sms-attributes --attributes MonthlySpendLimit=${dollars}, after AWS Support raised the quota.`,
  };
}
