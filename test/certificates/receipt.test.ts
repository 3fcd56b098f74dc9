import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import type { CertificatePayload } from '#shared/certificates/contract.ts';
import { payoutCertificateExample, refundCertificateExample } from '#shared/certificates/examples.ts';
import { receiptPage } from '#shared/certificates/receipt.ts';

type Payload = z.output<typeof CertificatePayload>;

const payout: Payload = payoutCertificateExample.payload;
const refund: Payload = refundCertificateExample.payload;
const page = (payload: Payload) => receiptPage({ certificate: 'a.b.c', payload });

/** The rows of a page: what stands in its lists, in their order. */
const rowsOf = (html: string) =>
  [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gu)].map(([, label, value]) => [
    label,
    value?.replaceAll('\u{a0}', ' '),
  ]);
const titleOf = (html: string) => /<h1>(.*?)<\/h1>/u.exec(html)?.[1];

describe('the receipt of a payment', () => {
  it('has what a comprovante has: amount, time of Brasilia, both sides, the key and the end-to-end id', () => {
    const html = page(payout);
    expect(titleOf(html)).toBe('Comprovante: Pagamento Pix');
    expect(html.replaceAll('\u{a0}', ' ')).toContain('<p class="amount">R$ 7,25</p>');
    expect(rowsOf(html)).toEqual([
      ['Situação', 'Pago'],
      ['Data e hora', '15/01/2026 às 09:05:07'],
      ['ID da transação', payout.endToEndId],
      ['Descrição', payout.description],
      ['Identificador do pagador', payout.externalId],
      ['Identificador neste serviço', payout.id],
      ['Nome', 'Clínica Boa Vista Ltda'],
      ['CNPJ', '11.222.333/0001-81'],
      ['Instituição', 'ISPB 12345678'],
      ['Agência', '0001'],
      ['Conta', '987654-3'],
      ['Nome', 'Maria Souza'],
      ['CPF', '***.982.247-**'],
      ['Instituição', 'ISPB 60701190'],
      ['Agência', '0001'],
      ['Conta', '123456-7'],
      ['Chave Pix', 'maria@example.com'],
    ]);
  });

  it.each([
    [{ outcome: 'NOT_KNOWN' }, 'Pagamento Pix em andamento', 'o banco ainda não decidiu'],
    [{ outcome: 'NOT_CARRIED_OUT' }, 'Pagamento Pix não realizado', 'nada foi pago'],
    [{ outcome: 'NOT_CARRIED_OUT', paymentMethod: 'TED' }, 'TED não realizada', 'nada foi pago'],
  ] as const)('says that it is no comprovante when the payment is %o', (more, title, note) => {
    const html = page({ ...payout, ...more, debits: [] });
    expect(titleOf(html)).toBe(title);
    expect(html).toContain(`<strong>Este documento não é um comprovante de pagamento: ${note}.</strong>`);
    expect(html).not.toContain('Comprovante');
  });

  it('names a TED by its control number, and a refund as such', () => {
    const { endToEndId: _id, ...ted } = {
      ...payout,
      paymentMethod: 'TED',
      controlNumber: 'STR20260115000000042',
    } as const;
    expect(rowsOf(page(ted))).toContainEqual(['Número de controle STR', 'STR20260115000000042']);
    expect(titleOf(page(ted))).toBe('Comprovante: TED');
    expect(titleOf(page(refund))).toBe('Comprovante: Devolução Pix');
    expect(rowsOf(page(refund))).toContainEqual(['ID da transação', refund.endToEndId]);
  });

  it('shows of a batch that was paid in part what was paid, and each part with what became of it', () => {
    const { endToEndId: _id, ...whole } = payout;
    const parts = [
      { sequence: 1, amount: '15000.00', outcome: 'CARRIED_OUT', since: payout.since, endToEndId: 'E1' },
      { sequence: 2, amount: '1000.50', outcome: 'CARRIED_OUT', since: payout.since, endToEndId: 'E2' },
      { sequence: 3, amount: '9.50', outcome: 'NOT_CARRIED_OUT', since: payout.since },
    ] as const;
    const amount = { currency: 'BRL', value: '16010.00' } as const;
    const html = page({ ...whole, amount, outcome: 'CARRIED_OUT_IN_PART', payments: [...parts] }).replaceAll(
      '\u{a0}',
      ' ',
    );
    expect(html).toContain('<p class="amount">R$ 16.000,50</p>');
    expect(rowsOf(html)).toContainEqual(['Valor do lote', 'R$ 16.010,00']);
    const cells = [...html.matchAll(/<td>(.*?)<\/td>/gu)].map(([, cell]) => cell);
    expect(cells.slice(10)).toEqual(['3', 'R$ 9,50', 'Não pago', '15/01/2026 às 09:05:07', '']);
  });

  it('shows the name of a receiver as a text, whatever it is', () => {
    const name = '<script>alert(1)</script> & Cia "Ltda"';
    const html = page({ ...payout, receiver: { ...payout.receiver, name } });
    expect(html).not.toContain('<script');
    expect(rowsOf(html)).toContainEqual(['Nome', '&lt;script&gt;alert(1)&lt;/script&gt; &amp; Cia "Ltda"']);
  });

  it('masks a CPF that is the key, and carries the certificate', () => {
    const pix = { type: 'CPF', key: '52998224725' } as const;
    const html = page({ ...payout, receiver: { ...payout.receiver, pix } });
    expect(html).not.toContain('52998224725');
    expect(html).toContain('<p class="jws">a.b.c</p>');
  });
});
