import { brasiliaMinuteOfDay } from '#shared/core/brasilia-time.ts';
import type { CodeMessage } from './sender.ts';

/** What holders read. A phone message has letters of GSM 03.38 alone: 160 characters of it are one message. */
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
