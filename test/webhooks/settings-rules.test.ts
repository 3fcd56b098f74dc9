import { describe, expect, it } from 'vitest';
import {
  secretCreatedBy,
  replaceSecret,
  validSecrets,
  addressOf,
  newWebhookSettings,
  replaceEndpoints,
} from '#shared/webhooks/settings.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const t1 = '2026-03-02T13:00:00.000Z';
const t2 = '2026-03-02T14:00:00.000Z';
const none = newWebhookSettings({ id: 's', companyId: 'c', organizationId: 'o', at: t0 });
const a = 'https://a.example/';
const b = 'https://b.example/';

describe('webhook settings', () => {
  it('have no endpoint at first', () => {
    expect(none).toMatchObject({ status: 'ACTIVE', events: [], createdAt: t0, updatedAt: t0 });
    expect(addressOf({ type: 'PAYIN' }, none)).toBeUndefined();
  });

  it('are replaced as a whole: an endpoint that stays keeps createdAt, and updatedAt too when it is unchanged', () => {
    const one = replaceEndpoints(
      none,
      [
        { type: 'PAYIN', endpoint: a },
        { type: 'PAYOUT', endpoint: a },
      ],
      t1,
    ).settings;
    const { settings } = replaceEndpoints(
      one,
      [
        { type: 'PAYIN', endpoint: a },
        { type: 'PAYIN_REFUND', endpoint: b },
      ],
      t2,
    );
    expect(settings.events).toEqual([
      { type: 'PAYIN', endpoint: a, status: 'ACTIVE', createdAt: t1, updatedAt: t1 },
      { type: 'PAYIN_REFUND', endpoint: b, status: 'ACTIVE', createdAt: t2, updatedAt: t2 },
    ]);
    expect(settings).toMatchObject({ updatedAt: t2, version: 3 });
    const moved = replaceEndpoints(settings, [{ type: 'PAYIN', endpoint: b }], t2).settings;
    expect(moved.events).toEqual([{ type: 'PAYIN', endpoint: b, status: 'ACTIVE', createdAt: t1, updatedAt: t2 }]);
  });

  it('name the types whose active address is another one than before', () => {
    const inactive = replaceEndpoints(none, [{ type: 'PAYIN', endpoint: a, status: 'INACTIVE' }], t1);
    expect(inactive.moved).toEqual([]);
    expect(addressOf({ type: 'PAYIN' }, inactive.settings)).toBeUndefined();
    const active = replaceEndpoints(inactive.settings, [{ type: 'PAYIN', endpoint: a }], t1);
    expect(active.moved).toEqual(['PAYIN']);
    expect(addressOf({ type: 'PAYIN' }, active.settings)).toBe(a);
    expect(replaceEndpoints(active.settings, [{ type: 'PAYIN', endpoint: b }], t2).moved).toEqual(['PAYIN']);
    expect(replaceEndpoints(active.settings, [], t2).moved).toEqual(['PAYIN']);
  });

  it('have no say where a notification has an address of its own', () => {
    expect(addressOf({ endpoint: b }, none)).toBe(b);
  });
});

describe('a webhook secret', () => {
  const first = { companyId: 'c', current: 's1', createdAt: t0, version: 1 };

  it('stays valid for the overlap after a rotation', () => {
    const second = replaceSecret(first, { current: 's2' }, t1, 3600);
    expect(second).toEqual({
      companyId: 'c',
      current: 's2',
      createdAt: t1,
      previous: 's1',
      previousExpiresAt: t2,
      version: 2,
    });
    expect(validSecrets(second, '2026-03-02T13:59:59.999Z')).toEqual({ current: 's2', previous: 's1' });
    expect(validSecrets(second, t2)).toEqual({ current: 's2' });
  });

  it('is dropped at once without an overlap, and by a second rotation within one', () => {
    expect(validSecrets(replaceSecret(first, { current: 's2' }, t1, 0), t1)).toEqual({ current: 's2' });
    const third = replaceSecret(replaceSecret(first, { current: 's2' }, t1, 3600), { current: 's3' }, t1, 3600);
    expect(validSecrets(third, t1)).toEqual({ current: 's3', previous: 's2' });
  });

  it('is shown again to the rotation that made it, as long as it signs', () => {
    const second = replaceSecret(first, { current: 's2', rotationId: 'r2' }, t1, 3600);
    expect(secretCreatedBy(second, 'r2', t2)).toEqual({ secret: 's2', createdAt: t1 });
    expect(secretCreatedBy(second, 'r1', t1)).toBeUndefined();
    const third = replaceSecret(second, { current: 's3' }, t1, 3600);
    expect(secretCreatedBy(third, 'r2', '2026-03-02T13:59:59.999Z')).toEqual({ secret: 's2', createdAt: t1 });
    expect(secretCreatedBy(third, 'r2', t2)).toBeUndefined();
    expect(secretCreatedBy(replaceSecret(third, { current: 's4' }, t1, 3600), 'r2', t1)).toBeUndefined();
    expect(secretCreatedBy(replaceSecret(second, { current: 's3' }, t1, 0), 'r2', t1)).toBeUndefined();
  });
});
