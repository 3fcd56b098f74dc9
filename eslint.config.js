import tseslint from 'typescript-eslint';
import { staleArguments } from './tools/lint/stale-arguments.ts';

/** Type-aware lint. Layer rules live in test/architecture, where a failure can explain itself. */
export default tseslint.config(
  {
    ignores: [
      'node_modules',
      'cdk.out',
      'dist',
      '.local',
      'coverage',
      '.venv',
      '.deployed',
      '.localstack',
      '.localstack-test',
      '.dynamodb-local',
      '.vitest',
      // Compiled where the kit is installed: test/slow/acceptance/partner-kit.test.ts.
      'docs/samples/kit',
      // Runs on any Node, before there are types: packages/local-environment/test/start-entry.test.ts looks at it.
      '**/*.cjs',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // One way: `import type { … }`, a statement of its own, so that what is left of a file at run time can be seen.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      // One case for constants. Contracts and schemas are PascalCase, like the types beside them; attributes keep the table's names.
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'variable', modifiers: ['destructured'], format: null },
        { selector: 'variable', filter: { regex: '^(PK|SK|GSI\\d[PS]K)$', match: true }, format: null },
        {
          selector: 'variable',
          format: ['camelCase', 'PascalCase'],
          leadingUnderscore: 'allow',
          custom: { regex: '^[A-Z][A-Z0-9]+$', match: false },
        },
        { selector: 'typeLike', format: ['PascalCase'] },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "ImportDeclaration[source.value='zod'] ImportSpecifier[imported.name='z']",
          message: "Write import * as z from 'zod': half the bundle.",
        },
        {
          selector: "ImportDeclaration[importKind='value'] > ImportSpecifier[importKind='type']",
          message: 'Write import type { … }, a statement of its own: there is one way to import types.',
        },
        {
          selector: 'AssignmentExpression[operator=/^[-+*\\/]=$/] AwaitExpression',
          message:
            'The old value is read before the await, and what others add meanwhile is lost: await first, then add.',
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'vi', property: 'mock', message: 'Dependencies are arguments; nothing is patched at run time.' },
        {
          object: 'vi',
          property: 'waitFor',
          message: 'It ends after a second: expect.poll has the limit of all tests.',
        },
        { object: 'vi', property: 'setConfig', message: 'All tests have one limit: see limits in vitest.config.ts.' },
      ],
    },
  },
  {
    files: ['shared/**', 'functions/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'parseFloat', message: 'Amounts are centavos parsed from text: shared/core/money.ts.' },
      ],
    },
  },
  {
    // Not in tests, whose variables are set before each of them.
    files: ['shared/**', 'functions/**', 'infra/**', 'packages/*/src/**'],
    plugins: { own: { rules: { 'stale-arguments': staleArguments } } },
    rules: { 'own/stale-arguments': 'error' },
  },
  {
    files: ['test/**', 'packages/*/test/**'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    // An interface of Vitest is extended there, which only an interface can do.
    files: ['test/support/environment.ts'],
    rules: { '@typescript-eslint/consistent-type-definitions': 'off' },
  },
  { files: ['*.js'], ...tseslint.configs.disableTypeChecked },
);
