import tseslint from 'typescript-eslint';

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
      '.dynamodb-local',
      '.vitest',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "ImportDeclaration[source.value='zod'] ImportSpecifier[imported.name='z']",
          message: "Write import * as z from 'zod': half the bundle.",
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'vi', property: 'mock', message: 'Dependencies are arguments; nothing is patched at run time.' },
      ],
    },
  },
  {
    files: ['shared/**', 'functions/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'parseFloat', message: 'Amounts are centavos parsed from text: shared/domain/money.ts.' },
      ],
    },
  },
  {
    files: ['test/**'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  { files: ['*.js'], ...tseslint.configs.disableTypeChecked },
);
