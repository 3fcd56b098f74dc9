import { brasiliaMinuteOfDay } from '#shared/core/brasilia-time.ts';
import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { endAfterMs } from '#shared/platform/call-limit.ts';
import type { CodeMessage, CodeSender } from './sender.ts';

/** The part of an SDK client that the sender calls; tests pass their own. */
type Sends<Command> = { readonly send: (command: Command) => Promise<unknown> };
type AmazonClients = { readonly email: Sends<SendEmailCommand>; readonly phone: Sends<PublishCommand> };

/**
 * One attempt only: a retry inside the SDK could send a code that was replaced. The caller checks the code before each
 * new try.
 */
const once = { maxAttempts: 1, requestHandler: endAfterMs(5000) };

/**
 * Errors that mean that the address is wrong (API references of Amazon SES v2 and SNS); all others may be temporary.
 */
const wrongAddress: Readonly<Record<CodeMessage['type'], ReadonlySet<string>>> = {
  EMAIL: new Set(['BadRequestException']),
  PHONE: new Set(['InvalidParameterException', 'InvalidParameterValueException', 'OptedOutException']),
};

/**
 * Sends e-mails by Amazon SES and SMS by Amazon SNS. Their responses hold addresses: only an error's name is logged.
 */
export function amazonSender(
  { emailFrom, smsFrom }: { readonly emailFrom: string; readonly smsFrom?: string | undefined },
  clients: AmazonClients = { email: new SESv2Client(once), phone: new SNSClient(once) },
): CodeSender {
  const submit = {
    EMAIL: (message: CodeMessage) => clients.email.send(emailOf(message, emailFrom)),
    PHONE: (message: CodeMessage) => clients.phone.send(phoneMessageOf(message, smsFrom)),
  } as const;
  return async (message) => {
    try {
      await submit[message.type](message);
      return { outcome: 'SENT' };
    } catch (error) {
      const reason = error instanceof Error ? error.name : typeof error;
      return { outcome: wrongAddress[message.type].has(reason) ? 'REFUSED' : 'FAILED', reason };
    }
  };
}

function emailOf(message: CodeMessage, from: string): SendEmailCommand {
  const { subject, email } = codeText(message);
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [message.key] },
    Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(email) } } },
  });
}

function phoneMessageOf(message: CodeMessage, from: string | undefined): PublishCommand {
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  return new PublishCommand({
    PhoneNumber: message.key,
    Message: codeText(message).phone,
    MessageAttributes: {
      'AWS.SNS.SMS.SMSType': text('Transactional'),
      ...(from !== undefined && { 'AWS.MM.SMS.OriginationNumber': text(from) }),
    },
  });
}

/** Texts for account holders. The SMS has only characters of GSM 03.38, of which 160 fit into one message. */
export function codeText({ code, validUntil }: Pick<CodeMessage, 'code' | 'validUntil'>): {
  readonly subject: string;
  readonly email: string;
  readonly phone: string;
} {
  const until = timeOfDay(brasiliaMinuteOfDay(validUntil));
  return {
    subject: 'Código para confirmar sua chave Pix',
    email: [
      `Seu código para confirmar a chave Pix: ${code}`,
      `Ele vale até ${until}, horário de Brasília. Um código novo substitui este.`,
      'Não passe o código a ninguém. Se você não pediu esta chave, ignore esta mensagem.',
    ].join('\n\n'),
    phone: `${code} confirma sua chave Pix. Vale ate ${until} (Brasilia). Nao passe este codigo a ninguem.`,
  };
}

function timeOfDay(minutes: number): string {
  const part = (value: number): string => String(value).padStart(2, '0');
  return `${part(Math.floor(minutes / 60))}:${part(minutes % 60)}`;
}
