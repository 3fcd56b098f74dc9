import { expect, test } from 'vitest';
import { document, operations } from '../support/document.ts';

type Node = Readonly<Record<string, unknown>>;
type Placed = { readonly place: string; readonly node: Node };

/** Every object of the document with its place, its examples and what is said of fields left out. */
function nodesIn(node: unknown, place = ''): readonly Placed[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node)
    .filter(([name]) => !['example', 'examples', 'enum', 'x-transitions'].includes(name))
    .flatMap(([name, value]) => nodesIn(value, `${place}/${name}`));
  return Array.isArray(node) ? inner : [{ place, node: node as Node }, ...inner];
}

const nodes = nodesIn(document);
const placesOf = (broken: (node: Node) => boolean): readonly string[] =>
  nodes.filter(({ node }) => broken(node)).map(({ place }) => place);

test('every required field is defined in the properties of its own schema (redocly)', () => {
  const required = nodes.filter(({ node }) => Array.isArray(node['required']));
  expect(required.length).toBeGreaterThan(50);
  expect(
    placesOf(({ required: names, properties = {} }) => {
      return Array.isArray(names) && names.some((name) => !Object.hasOwn(properties as Node, String(name)));
    }),
  ).toEqual([]);
});

test('every array schema defines its items (spectral)', () => {
  expect(placesOf(({ type, items }) => type === 'array' && items === undefined)).toEqual([]);
});

test('the document names a contact and a licence', () => {
  expect(document).toHaveProperty('info.contact.name');
  expect(document).toHaveProperty('info.license.name');
});

test('no field has a default: openapi-typescript would ask for it in every request', () => {
  const ofFields = Object.entries(document.components.schemas).flatMap(([name, schema]) => nodesIn(schema, name));
  expect(ofFields.length).toBeGreaterThan(500);
  expect(ofFields.filter(({ node }) => Object.hasOwn(node, 'default')).map(({ place }) => place)).toEqual([]);
  const text = JSON.stringify(document.components.schemas['CreatePayInRequest']);
  expect(text).toContain('How long it can be paid, seconds. Default: `86400`.');
});

test('no fixed value is a number: openapi-generator makes Java of it that does not compile', () => {
  expect(placesOf((node) => typeof node['const'] === 'number')).toEqual([]);
  expect(nodesIn(document.components.schemas).filter(({ node }) => node['const'] !== undefined).length).toBeGreaterThan(
    10,
  );
  const choices = nodesIn(document.components.schemas).filter(({ node }) => Array.isArray(node['enum']));
  expect(choices.length).toBeGreaterThan(10);
  expect(choices.filter(({ node }) => (node['enum'] as unknown[]).some((value) => typeof value === 'number'))).toEqual(
    [],
  );
});

test('the document uses oneOf, and never anyOf, for a choice of several schemas', () => {
  for (const suffix of ['Input', ''])
    expect(document.components.schemas[`PaymentData${suffix}`]).toEqual({
      description: expect.any(String) as string,
      oneOf: ['PixKeyTarget', 'QrCodeTarget', 'BankAccountTarget'].map((name) => ({
        $ref: `#/components/schemas/${name}${suffix}`,
      })),
    });
  expect(placesOf((node) => Object.hasOwn(node, 'anyOf'))).toEqual([]);
  expect(placesOf((node) => Object.hasOwn(node, 'oneOf')).length).toBeGreaterThan(15);
  expect(operations.length).toBeGreaterThan(30);
});
