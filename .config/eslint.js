// Typed rules only where they find bugs that tsc does not: promises nobody awaits, holes in the types.
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { identifiers } from './identifiers.js';

export default tseslint.config(
  {
    ignores: [
      'node_modules/**',
      '.skein/**',
      '.tap/**',
      '**/*.cjs',
      '**/*.js',
      '**/generated/**',
      'protocol/gen/**',
      'clients/**/dist/**',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    plugins: { words: identifiers },
    languageOptions: {
      parserOptions: {
        project: ['../tsconfig.json', '../clients/tsconfig.json', '../clients/studio/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/require-await': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-console': 'error',
      eqeqeq: 'error',
      'words/denied-identifiers': 'error',
      'words/no-packed-properties': 'error',
      'words/say-which': 'error',
    },
  },
  {
    files: ['{protocol,runtime,storage,actors,gateway,clients}/**'],
    rules: {
      // A longer function does several things. Comments and blank lines count: they separate these.
      'max-lines-per-function': ['error', { max: 60 }],
    },
  },
  {
    // The page's language, in which a component says more: two lists of elements do not make two things of it.
    files: ['clients/**/*.tsx'],
    ...reactHooks.configs.flat['recommended-latest'],
    rules: {
      ...reactHooks.configs.flat['recommended-latest'].rules,
      // TanStack Virtual is known not to work with React's compiler, which is not used here.
      'react-hooks/incompatible-library': 'off',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      'max-lines-per-function': ['error', { max: 100 }],
    },
  },
  {
    // Fields of the contract may be absent, or null, and mean the same.
    files: ['clients/{console,kit,studio}/**'],
    rules: { eqeqeq: ['error', 'always', { null: 'ignore' }] },
  },
  { files: ['bench/**'], rules: { 'no-console': 'off' } },
  {
    files: ['test/**'],
    rules: { '@typescript-eslint/no-floating-promises': 'off', '@typescript-eslint/require-await': 'off' },
  },
);
