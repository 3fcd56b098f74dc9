import { ConflictException, CreateApiKeyCommand, CreateUsagePlanKeyCommand } from '@aws-sdk/client-api-gateway';
import type { PlanGateway } from '#infra/operator/usage-plan.ts';

/** API Gateway's keys and plans as far as joining a plan sees them: a value and a membership exist once. */
export function fakePlans(): PlanGateway & { readonly members: readonly string[] } {
  const values = new Map<string, string>();
  const members: string[] = [];
  const conflict = (): never => {
    throw new ConflictException({ message: 'It exists.', $metadata: {} });
  };
  const send = async (command: unknown): Promise<unknown> => {
    await Promise.resolve();
    if (command instanceof CreateApiKeyCommand) {
      const { name = '', value = '' } = command.input;
      if (values.has(value)) conflict();
      values.set(value, name);
      return { id: `key-of-${value}` };
    }
    if (command instanceof CreateUsagePlanKeyCommand) {
      const member = `${command.input.usagePlanId ?? ''} ${command.input.keyId ?? ''}`;
      if (members.includes(member)) conflict();
      members.push(member);
      return {};
    }
    return { items: [...values].map(([value, name]) => ({ id: `key-of-${value}`, name })) };
  };
  return { send: send as PlanGateway['send'], members };
}
