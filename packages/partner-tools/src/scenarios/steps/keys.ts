import { randomInt } from 'node:crypto';
import { GetKeyCode } from '#functions/order-tools/get-key-code/contract.ts';
import { ConfirmKey } from '#functions/pix-keys/confirm/contract.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { ListKeys } from '#functions/pix-keys/list/contract.ts';
import { readResponse } from '#partner-tools/api/responses.ts';
import { ToolFailure } from '#partner-tools/failures.ts';
import { commandLine } from '#partner-tools/invocation.ts';
import { poll } from '#partner-tools/poll.ts';
import type { Step, Context } from '../context.ts';
import { resourceOf } from '../context.ts';

const sentWithinMs = 30_000;
const lookEveryMs = 250;

/** Requests a phone as a key of the account: an invented number of São Paulo. */
export function createPhoneKey(name: string): Step {
  return async ({ partner, accountId, resources, reporter }) => {
    const key = `+55119${randomInt(10_000_000, 100_000_000)}`;
    const { body } = await partner.call(CreateKey, { params: { accountId }, body: { type: 'PHONE', key } });
    resources.set(name, { kind: 'key', id: body.validationId, pixKey: key });
    reporter.fact(name, `${key}, ${body.status}; the code is valid until ${body.expiresAt}`);
  };
}

/** Submits a wrong code, which costs the holder one try. */
export function confirmWithWrongCode(name: string): Step {
  return async (context) => {
    const { partner, accountId, reporter } = context;
    const code = await readCode(context, name);
    const wrong = code === '000000' ? '000001' : '000000';
    const body = { validationId: resourceOf(context, name).id, code: wrong };
    const refused = await partner.refused(ConfirmKey, { params: { accountId }, body });
    const [issue] = refused.details.map((detail) => detail.issue);
    reporter.check('a wrong code is refused: 409 WRONG_CODE', refused.status === 409 && issue === 'WRONG_CODE', issue);
  };
}

/** Submits the right code, and checks that the account's list has the key. */
export function confirm(name: string): Step {
  return async (context) => {
    const { partner, accountId, reporter } = context;
    const { id: validationId, pixKey } = resourceOf(context, name);
    const body = { validationId, code: await readCode(context, name) };
    const confirmed = (await partner.call(ConfirmKey, { params: { accountId }, body })).body;
    const { data } = (await partner.call(ListKeys, { params: { accountId }, query: { limit: '100' } })).body;
    const listed = data.find((validation) => validation.validationId === validationId);
    const isKey = listed?.status === 'CONFIRMED' && listed.key === pixKey;
    reporter.check(`${String(pixKey)} is a key of the account`, isKey, listed);
    reporter.check('the confirmation names the key', confirmed.key.key === pixKey, confirmed);
  };
}

/** Waits for the key code, which is sent within about a second. @throws ToolFailure when it is not sent. */
async function readCode(context: Context, name: string): Promise<string> {
  const { partner, accountId } = context;
  const params = { accountId, validationId: resourceOf(context, name).id };
  const read = () => partner.answer(GetKeyCode, { params });
  const received = await poll(read, ({ status }) => status !== 404, sentWithinMs, lookEveryMs);
  if (received.status !== 404) return readResponse(GetKeyCode, received, 'OPEN').body.code;
  throw new ToolFailure('The code was not sent.', `Run "${commandLine('doctor')}" to check the environment.`);
}
