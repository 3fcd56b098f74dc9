import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret, signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';
import { fc } from '../support/properties.ts';

const current = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const previous = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=';
const fixed = { id: 'dlv-1', at: '2026-01-15T12:00:00.750Z', body: '{"event":"ORDER-PAYIN.PAID"}' };

/** The libraries refuse what is older than five minutes, so what they are to verify is signed now. */
const signedNow = (secrets: { current: string; previous?: string }, body = fixed.body): Record<string, string> => {
  return signatureHeaders({ ...fixed, body, at: new Date().toISOString(), secrets });
};

describe('the signature of a delivery', () => {
  it('is the HMAC-SHA256 of the body, keyed with the text of the secret', () => {
    const headers = signatureHeaders({ ...fixed, secrets: { current } });
    const expected = createHmac('sha256', Buffer.from(current, 'utf8')).update(fixed.body, 'utf8').digest('hex');
    expect(headers['X-Signature-SHA256']).toBe(`sha256=${expected}`);
  });

  it('is this one for this secret and body', () => {
    expect(signatureHeaders({ ...fixed, secrets: { current, previous } })).toEqual(vector);
  });

  it('is verified by the published library of Standard Webhooks', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        const secret = newWebhookSecret();
        expect(new Webhook(secret).verify(body, signedNow({ current: secret }, body))).toEqual(JSON.parse(body));
      }),
      { numRuns: 50 },
    );
  });

  it('holds under both secrets during an overlap, and under no other', () => {
    const headers = signedNow({ current, previous });
    expect(() => new Webhook(current).verify(fixed.body, headers)).not.toThrow();
    expect(() => new Webhook(previous).verify(fixed.body, headers)).not.toThrow();
    expect(() => new Webhook(newWebhookSecret()).verify(fixed.body, headers)).toThrow();
    const expected = createHmac('sha256', previous).update(fixed.body).digest('hex');
    expect(headers['X-Signature-SHA256-Previous']).toBe(`sha256=${expected}`);
  });

  it('names no previous secret when there is none', () => {
    const headers = signedNow({ current });
    expect(Object.keys(headers)).not.toContain('X-Signature-SHA256-Previous');
    expect(headers['webhook-signature']).not.toContain(' ');
  });

  it('does not hold for a body that was changed', () => {
    const headers = signedNow({ current });
    expect(() => new Webhook(current).verify(fixed.body.replace('PAID', 'paid'), headers)).toThrow();
  });
});

describe('a new webhook secret', () => {
  it('is whsec_ and 32 bytes of base64, another one each time', () => {
    const secrets = Array.from({ length: 20 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(20);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });
});

/** Worked out beside this code with Python's `hmac`; changing it breaks every partner that verifies. */
const vector = {
  'X-Signature-SHA256': 'sha256=3fd88bcc938392341485a4cc6ea0b99d142f9d6c6c81c9dff1c4e08be48a5218',
  'X-Signature-SHA256-Previous': 'sha256=058ecdc745d33bcb24a1f6fec04b8401d2574b3d13b94dcb6081cfcb22570359',
  'webhook-id': 'dlv-1',
  'webhook-timestamp': '1768478400',
  'webhook-signature':
    'v1,ItUerVtJ3z/zwsl/tMZNdcyeDtUyF18QtqJOpSNkGpI= v1,ELWppeWcY6csVuFrk/EtsDWCQEEx7eVsDn19yW1Y+sw=',
};
