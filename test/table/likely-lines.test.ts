import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { NotificationTarget } from '#shared/platform/outbox/notification.ts';
import { newLine } from '#shared/platform/outbox/backlog.ts';
import { newWebhookSettings } from '#shared/webhooks/settings.ts';
import { readForAttempt } from '#shared/webhooks/deliveries/store.ts';
import { endpointLine, lineItem } from '#shared/webhooks/health/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item, Key, Store } from '#shared/platform/table/store.ts';
import { CorruptItem } from '#shared/platform/table/store.ts';
import { readSettingsAndLines, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { onEveryStore } from '../support/stores.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const first = 'https://partner.example/first';
const second = 'https://partner.example/second';

onEveryStore((given) => {
  /** A store of its own, as every instance of a function has one, that tells of its reads. */
  const listening = (): { readonly store: Store; readonly reads: (readonly Key[])[] } => {
    const reads: (readonly Key[])[] = [];
    const read: Store['read'] = (wanted) => {
      reads.push(wanted);
      return given().read(wanted);
    };
    return { store: { ...given(), read }, reads };
  };
  const put = (item: Item) => given().write([{ put: item }], randomUUID());
  const lineAt = (companyId: string, endpoint: string, version: number): Item =>
    lineItem({ ...newLine(companyId, endpointLine(endpoint), endpoint), version }, t0);

  describe('the line of an address', () => {
    it('is read with the rest once the company is known, as it is at that moment', async () => {
      const companyId = randomUUID();
      const { store, reads } = listening();
      const name = endpointLine(first);
      const attempt = async () => (await readForAttempt(store, companyId, randomUUID())).lines.of(first);
      expect(await attempt()).toEqual({ name, line: undefined });
      expect(reads.length).toBe(2);
      for (const version of [1, 2]) {
        await put(lineAt(companyId, first, version));
        expect(await attempt()).toMatchObject({ name, line: { version, endpoint: first } });
      }
      expect(reads.length).toBe(4);
    });

    it('is that of the address that is asked for, whichever was the last one', async () => {
      const companyId = randomUUID();
      const { store, reads } = listening();
      await put(lineAt(companyId, first, 1));
      await put(lineAt(companyId, second, 2));
      const of = async (endpoint: string) =>
        (await (await readForAttempt(store, companyId, randomUUID())).lines.of(endpoint)).line?.version;
      expect(await of(first)).toBe(1);
      expect(await of(second)).toBe(2);
      expect(await of(second)).toBe(2);
      expect(await of(first)).toBe(1);
      expect(reads.map((wanted) => wanted.length)).toEqual([4, 1, 5, 1, 5, 5, 1]);
    });

    it('is no other company’s, to the same address', async () => {
      const [companyId, other] = [randomUUID(), randomUUID()];
      const { store } = listening();
      await put(lineAt(companyId, first, 1));
      const of = async (company: string) =>
        (await (await readForAttempt(store, company, randomUUID())).lines.of(first)).line;
      expect(await of(companyId)).toMatchObject({ companyId });
      expect(await of(other)).toBeUndefined();
      expect(await of(other)).toBeUndefined();
    });

    it('is judged only where it is needed: a likely one that is malformed stops no other', async () => {
      const companyId = randomUUID();
      const { store } = listening();
      const lines = async () => (await readForAttempt(store, companyId, randomUUID())).lines;
      await (await lines()).of(first);
      await put({ ...keys.line(companyId, endpointLine(first)), entity: 'LINE' });
      const likely = await lines();
      await expect(likely.of(first)).rejects.toBeInstanceOf(CorruptItem);
      expect(await likely.of(second)).toEqual({ name: endpointLine(second), line: undefined });
    });

    it('comes with the settings alone, too', async () => {
      const companyId = randomUUID();
      const { store, reads } = listening();
      await put(webhookSettingsItem(newWebhookSettings({ id: 's', companyId, organizationId: 'o', at: t0 })));
      await put(lineAt(companyId, first, 1));
      const of = async (target: NotificationTarget) => {
        const { settings, lines } = await readSettingsAndLines(store, companyId, target);
        expect(settings.companyId).toBe(companyId);
        expect(await lines.of(first)).toMatchObject({ line: { version: 1 } });
      };
      await of({ type: 'PAYIN' });
      await of({ type: 'PAYIN' });
      await of({ endpoint: first });
      await of({ endpoint: first });
      expect(reads.map((wanted) => wanted.length)).toEqual([1, 1, 2, 1, 1, 2]);
    });

    it('is forgotten for the company that was known first, when a thousand are known', async () => {
      const { store, reads } = listening();
      const companies = Array.from({ length: 1001 }, () => randomUUID());
      const [oldest = ''] = companies;
      for (const companyId of companies) await (await readForAttempt(store, companyId, 'none')).lines.of(first);
      reads.length = 0;
      await readForAttempt(store, companies.at(-1) ?? '', 'none');
      await readForAttempt(store, oldest, 'none');
      expect(reads.map((wanted) => wanted.length)).toEqual([5, 4]);
    });
  });
});
