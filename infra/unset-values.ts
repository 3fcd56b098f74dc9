import type { EnvironmentSettings } from './settings.ts';

/** A value that only the company knows, and its description. */
export type UnsetValue = {
  /** Its name in environments.ts. */
  readonly setting: string;
  readonly description: string;
};

const placeholders = new Map<string, UnsetValue>();

/**
 * Returns a placeholder for a value in environments.ts that is not set yet. Stacks with it can be synthesized, but they
 * admit no client and reach no host.
 *
 * @param placeholder Differs from every other value and placeholder. Default: a host that never resolves (RFC 2606).
 */
export function unset(
  setting: string,
  description: string,
  placeholder = `${setting.toLowerCase()}.unset.invalid`,
): string {
  placeholders.set(placeholder, { setting, description });
  return placeholder;
}

/** Returns whether partners use the environment. It is then deployed only if every value is set. */
export function isForPartners({ name }: EnvironmentSettings): boolean {
  return name === 'hml' || name === 'prod';
}

/**
 * Returns the settings that an environment lacks: its placeholders and, if partners use it, a recipient of alarms, an
 * account, a host name of its own and (without simulation tools) a bank. The local environment needs nothing.
 * @param simulatedBank Whether bundles of production contain the simulated bank.
 */
export function unsetValues(settings: EnvironmentSettings, simulatedBank = false): readonly UnsetValue[] {
  const { name, target, alarms, api, simulationTools } = settings;
  if (target === undefined) return [];
  const text = JSON.stringify(settings);
  const found = [...placeholders].flatMap(([placeholder, value]) => (text.includes(placeholder) ? [value] : []));
  if (!isForPartners(settings)) return found;
  const absent = [
    {
      setting: `environments.${name}.alarms.email or .topicArn`,
      description: 'the recipient of alarms',
      isSet: alarms.email !== undefined || alarms.topicArn !== undefined,
    },
    {
      setting: `environments.${name}.target.account`,
      description: 'the AWS account: credentials of another account are then refused',
      isSet: target.account !== undefined,
    },
    {
      setting: `environments.${name}.api.domain`,
      description: 'your own host name: it stays the same when the API is replaced',
      isSet: api.domain !== undefined,
    },
    {
      setting: 'functions/banks.ts',
      description: 'a bank: production bundles contain the simulated bank, which moves no money',
      // With simulation tools partners try the service at the simulated bank.
      isSet: simulationTools || !simulatedBank,
    },
  ];
  return [...found, ...absent.flatMap(({ setting, description, isSet }) => (isSet ? [] : [{ setting, description }]))];
}
