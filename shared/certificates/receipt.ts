import type * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { brasiliaDate, brasiliaTimeOfDay } from '../core/brasilia-time.ts';
import { addCentavos, formatAmount, parseDecimal } from '../core/money.ts';
import type { CertificatePayload, CertifiedOutcome, CertifiedPayment, PaymentCertificate } from './contract.ts';

type Payload = z.output<typeof CertificatePayload>;
type Side = Payload['payer'] | Payload['receiver'];

/** How a payment is named in Portuguese, and whether the word is feminine. */
type Named = { readonly name: string; readonly isFeminine: boolean };

function nameOf({ kind, paymentMethod }: Payload): Named {
  if (kind === 'REFUND') return { name: 'Devolução Pix', isFeminine: true };
  return paymentMethod === 'TED' ? { name: 'TED', isFeminine: true } : { name: 'Pagamento Pix', isFeminine: false };
}

/** Returns the title: only what the bank paid has a receipt. */
function titleOf(payload: Payload): string {
  const { name, isFeminine } = nameOf(payload);
  const titles: Readonly<Record<CertifiedOutcome, string>> = {
    CARRIED_OUT: `Comprovante: ${name}`,
    CARRIED_OUT_IN_PART: `Comprovante: ${name} em parte`,
    NOT_CARRIED_OUT: `${name} não ${isFeminine ? 'realizada' : 'realizado'}`,
    NOT_KNOWN: `${name} em andamento`,
  };
  return titles[payload.outcome];
}

const words: Readonly<Record<CertifiedOutcome, string>> = {
  CARRIED_OUT: 'Pago',
  CARRIED_OUT_IN_PART: 'Pago em parte',
  NOT_CARRIED_OUT: 'Não pago',
  NOT_KNOWN: 'Em andamento',
};

/** What stands above a page that is no receipt. */
const notes: Partial<Readonly<Record<CertifiedOutcome, string>>> = {
  NOT_CARRIED_OUT: 'Este documento não é um comprovante de pagamento: nada foi pago.',
  NOT_KNOWN: 'Este documento não é um comprovante de pagamento: o banco ainda não decidiu.',
};

/**
 * Returns the receipt (comprovante) of a payment as a page in Portuguese, for a screen and for paper. It loads and runs
 * nothing, and carries the certificate. CPFs are masked as on receipts of banks.
 */
export function receiptPage({ certificate, payload }: z.output<typeof PaymentCertificate>): string {
  const title = titleOf(payload);
  const note = notes[payload.outcome];
  return [
    '<!doctype html>\n<html lang="pt-BR"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1>`,
    note === undefined ? '' : `<p><strong>${note}</strong></p>`,
    `<p class="amount">${reais(amountOf(payload))}</p>`,
    `<dl>${paymentRows(payload)}</dl>`,
    `<h2>Pagador</h2><dl>${sideRows(payload.payer)}</dl>`,
    `<h2>Recebedor</h2><dl>${sideRows(payload.receiver)}</dl>`,
    payload.payments === undefined ? '' : partsTable(payload.payments),
    `<footer><p>Emitido em ${timeOf(payload.issuedAt)}, horário de Brasília.</p>`,
    '<details><summary>Certificado assinado (JWS)</summary>',
    `<p class="jws">${escaped(certificate)}</p></details></footer></main></body></html>\n`,
  ].join('');
}

/** What was paid; of a payment that was not made, what was to be paid. */
function amountOf({ outcome, amount, payments = [] }: Payload): string {
  if (outcome !== 'CARRIED_OUT_IN_PART') return amount.value;
  const paid = payments.filter((payment) => payment.outcome === 'CARRIED_OUT');
  return formatAmount(addCentavos(...paid.map((payment) => parseDecimal(payment.amount))));
}

function paymentRows(payload: Payload): string {
  const { outcome, since, description, externalId, returnedAmount, errorMessage, amount } = payload;
  return [
    row('Situação', words[outcome]),
    outcome === 'CARRIED_OUT_IN_PART' ? row('Valor do lote', reais(amount.value)) : '',
    row(outcome === 'NOT_KNOWN' ? 'Em andamento desde' : 'Data e hora', timeOf(since)),
    row('ID da transação', payload.endToEndId),
    row('Número de controle STR', payload.controlNumber),
    row('Descrição', description),
    row('Motivo', errorMessage),
    returnedAmount === undefined ? '' : row('Devolvido depois', reais(returnedAmount.value)),
    row('Identificador do pagador', externalId),
    row('Identificador neste serviço', payload.id),
  ].join('');
}

function sideRows({ name, document, bank, pix }: Side): string {
  const number = typeof document === 'object' ? document.number : document;
  const key = pix?.type === 'CPF' || pix?.type === 'CNPJ' ? masked(pix.key) : pix?.key;
  return [
    row('Nome', name),
    row(number?.length === 11 ? 'CPF' : 'CNPJ', number === undefined ? undefined : masked(number)),
    row('Instituição', bank && [bank.name, `ISPB ${bank.ispb}`].filter((part) => part !== undefined).join(', ')),
    row('Agência', bank?.branch),
    row('Conta', bank?.account),
    row('Chave Pix', key),
  ].join('');
}

function partsTable(payments: readonly z.output<typeof CertifiedPayment>[]): string {
  const heads = ['Parte', 'Valor', 'Situação', 'Data e hora', 'ID da transação'];
  const lines = payments.map(({ sequence, amount, outcome, since, endToEndId = '' }) => {
    const cells = [String(sequence), reais(amount), words[outcome], timeOf(since), endToEndId];
    return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
  return `<h2>Partes</h2><table><thead><tr>${head}</tr></thead><tbody>${lines.join('')}</tbody></table>`;
}

/** A line of a list; none without a value. */
function row(label: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : `<dt>${label}</dt><dd>${escaped(value)}</dd>`;
}

/** An amount as it is written in Brazil, `R$ 1.234,50`. */
function reais(decimal: string): string {
  const [whole = '', cents] = decimal.split('.');
  return `R$\u{a0}${whole.replaceAll(/\B(?=(?:\d{3})+$)/gu, '.')},${cents}`;
}

/** A CPF without its first three and last two digits; a CNPJ whole. Both with their punctuation. */
function masked(number: string): string {
  const part = (from: number, to?: number) => number.slice(from, to);
  if (number.length === 11) return `***.${part(3, 6)}.${part(6, 9)}-**`;
  return `${part(0, 2)}.${part(2, 5)}.${part(5, 8)}/${part(8, 12)}-${part(12)}`;
}

/** A time of Brasilia, `15/01/2026 às 09:05:07`. */
function timeOf(instant: Instant): string {
  return `${brasiliaDate(instant).split('-').toReversed().join('/')} às ${brasiliaTimeOfDay(instant)}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const style = [
  'body{font:1rem/1.5 system-ui,sans-serif;margin:0;color:#1a1a1a;background:#fff}',
  'main{max-width:44rem;margin:2rem auto;padding:0 1rem}',
  'h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:1.5rem}',
  '.amount{font-size:2rem;font-weight:600;margin:0}',
  'dl{display:grid;grid-template-columns:minmax(9rem,14rem) 1fr;gap:.25rem 1rem;margin:.5rem 0}',
  'dt{color:#555}dd{margin:0;overflow-wrap:anywhere}',
  'table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #ccc}',
  'td{overflow-wrap:anywhere}footer{margin-top:2rem;color:#555}',
  '.jws{font:.7rem/1.4 monospace;overflow-wrap:anywhere}',
  '@media (max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}',
  '@media print{main{margin:0}details:not([open]){display:none}}',
].join('');
