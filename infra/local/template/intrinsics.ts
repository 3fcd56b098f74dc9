import * as z from 'zod';
import type { LocalTemplate, TemplateResource } from './local-template.ts';
import { LocalStartError, describeResource } from './local-template.ts';

/** What references become on this machine. */
export type LocalValues = {
  readonly pseudo: Readonly<Record<string, string>>;
  readonly ref: (resource: TemplateResource) => string;
  readonly attribute: (resource: TemplateResource, name: string) => string;
};

/** Resolves a value of a stack: intrinsic functions are replaced, `AWS::NoValue` is left out. */
export type Resolve = (stack: string, value: unknown) => unknown;

type Context = {
  readonly template: LocalTemplate;
  readonly values: LocalValues;
  readonly stack: string;
  /** Exports being resolved: an import that leads to itself is an error and not an endless loop. */
  readonly importing: readonly string[];
};

/**
 * Intrinsic functions of CloudFormation ("Intrinsic function reference" of its user guide) as far as CDK writes them.
 *
 * @throws LocalStartError for an unknown function, reference, attribute or import: never a guess.
 */
export function createResolver(template: LocalTemplate, values: LocalValues): Resolve {
  return (stack, value) => resolve({ template, values, stack, importing: [] }, value);
}

function resolve(context: Context, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolve(context, item)).filter((item) => item !== undefined);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && (only[0] === 'Ref' || only[0].startsWith('Fn::'))) {
    return intrinsic(context, only[0], only[1]);
  }
  const resolved = entries.map(([key, item]) => [key, resolve(context, item)] as const);
  return Object.fromEntries(resolved.filter(([, item]) => item !== undefined));
}

function intrinsic(context: Context, name: string, argument: unknown): unknown {
  switch (name) {
    case 'Ref':
      return ref(context, text(name, argument));
    case 'Fn::GetAtt':
      return getAtt(context, argument);
    case 'Fn::Join': {
      const [delimiter, items] = list(name, argument);
      return list(name, resolve(context, items))
        .map((item) => text(name, item))
        .join(text(name, delimiter));
    }
    case 'Fn::Sub':
      return substitute(context, argument);
    case 'Fn::Select': {
      const [index, items] = list(name, argument);
      const chosen = list(name, resolve(context, items))[Number(resolve(context, index))];
      if (chosen === undefined)
        throw new LocalStartError(`Fn::Select finds nothing at ${JSON.stringify(index)} in ${context.stack}.`);
      return chosen;
    }
    case 'Fn::Split': {
      const [delimiter, source] = list(name, argument);
      return text(name, resolve(context, source)).split(text(name, delimiter));
    }
    case 'Fn::Base64':
      return Buffer.from(text(name, resolve(context, argument))).toString('base64');
    case 'Fn::ImportValue':
      return importValue(context, text(name, resolve(context, argument)));
    default:
      throw new LocalStartError(
        `The local runner does not know the intrinsic function ${name} (stack ${context.stack}).`,
      );
  }
}

function ref(context: Context, name: string): unknown {
  if (name === 'AWS::NoValue') return undefined;
  const pseudo = name === 'AWS::StackName' ? context.stack : context.values.pseudo[name];
  if (pseudo !== undefined) return pseudo;
  const stack = context.template.stacks.get(context.stack);
  const resource = stack?.resources.get(name);
  if (resource !== undefined) return context.values.ref(resource);
  const parameter = stack?.parameters.get(name);
  if (parameter !== undefined) return parameter;
  throw new LocalStartError(`Nothing is called ${name} in the stack ${context.stack}.`);
}

/** `["Id", "Attribute.Path"]` or the text `Id.Attribute.Path`. */
function getAtt(context: Context, argument: unknown): string {
  const [id, ...path] = Array.isArray(argument)
    ? argument.map((part) => text('Fn::GetAtt', part))
    : text('Fn::GetAtt', argument).split('.');
  const resource = context.template.stacks.get(context.stack)?.resources.get(id ?? '');
  if (resource === undefined)
    throw new LocalStartError(`Fn::GetAtt names ${id ?? 'nothing'}, unknown in the stack ${context.stack}.`);
  return context.values.attribute(resource, path.join('.'));
}

/** `${Name}`, `${Name.Attribute}`, `${!literal}`; the second argument adds local names. */
function substitute(context: Context, argument: unknown): string {
  const [template, variables] = Array.isArray(argument) ? (argument as unknown[]) : [argument, {}];
  const local = resolve(context, variables ?? {}) as Record<string, unknown>;
  return text('Fn::Sub', template).replace(/\$\{([^}]*)\}/g, (_match, name: string) => {
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    if (Object.hasOwn(local, name)) return text('Fn::Sub', local[name]);
    return text('Fn::Sub', name.includes('.') ? getAtt(context, name) : ref(context, name));
  });
}

function importValue(context: Context, name: string): unknown {
  const exported = context.template.exports.get(name);
  if (exported === undefined) throw new LocalStartError(`No stack exports ${name}, which ${context.stack} imports.`);
  if (context.importing.includes(name)) throw new LocalStartError(`The export ${name} imports itself.`);
  return resolve({ ...context, stack: exported.stack, importing: [...context.importing, name] }, exported.value);
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new LocalStartError(`${name} needs a text and has ${JSON.stringify(value)}.`);
}

function list(name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw new LocalStartError(`${name} needs a list and has ${JSON.stringify(value)}.`);
}

/**
 * The properties of a resource, resolved and in the shape that the runner understands.
 *
 * @throws LocalStartError naming the resource and the property that is otherwise.
 */
export function readProperties<T extends z.ZodType>(
  shape: T,
  resource: TemplateResource,
  resolve: Resolve,
): z.output<T> {
  const parsed = shape.safeParse(resolve(resource.stack, resource.properties));
  if (parsed.success) return parsed.data;
  throw new LocalStartError(`${describeResource(resource)}: ${z.prettifyError(parsed.error)}`);
}
