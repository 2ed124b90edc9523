/** Lint knows the architecture: who may import whom, what a workflow may not do, how long a file may grow. */
import comments from '@eslint-community/eslint-plugin-eslint-comments/configs';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { mayImport } from './dev/checks/borders.mjs';

const ours = [...Object.keys(mayImport), 'dev', 'test', 'bench', 'config'];

function borders(folder, allowed) {
  const refused = ours.filter((other) => other !== folder && !allowed.includes(other));
  const patterns = [
    {
      regex: `^(\\.\\./)+(${refused.join('|')})(/|\\.ts$)`,
      message: `${folder}/ may import ${['itself', ...allowed].join(', ')}`,
    },
  ];
  // of a process others may know how it is started and its contract; activities also know what its steps ask of them
  if (folder !== 'workflows')
    patterns.push({
      regex: '/workflows/(?!.*(?:contract|process|search-attributes)\\.ts$)',
      allowTypeImports: folder === 'activities',
      message: 'only the process and the contract are for others',
    });
  return {
    files: [`${folder}/**/*.ts`],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
  };
}

const ormEm = {
  selector: "MemberExpression[object.name='orm'][property.name='em']",
  message: 'take the entity manager as an argument: only activities, the pipeline and the mains open one',
};

/** Rows have the types that db/schema declares only if they come through db/rows. */
const rawKysely = {
  selector: "CallExpression[callee.property.name='getKysely']",
  message:
    'start with query(db) of db/rows/query.ts: a plain getKysely() types an amount as bigint and returns text',
};
const aliases = [
  "CallExpression[callee.property.name='as']",
  'CallExpression[callee.property.name=/^(select|returning)$/] Literal[value=/\\sas\\s/]',
  'CallExpression[callee.property.name=/^(select|returning)$/] TemplateElement[value.raw=/\\sas\\s/]',
].map((selector) => ({
  selector,
  message:
    'select columns by their names: a column under an alias is not converted. Write a statement (db/rows/statement.ts) for expressions and aliases',
}));

/** Nested transactions are savepoints. */
const ownTransactions = {
  selector: "CallExpression[callee.property.name='transactional']",
  message: 'use transaction or inTransaction of db/transaction.ts, which refuse nesting',
};

/** A refusal that an operation does not declare would compile. */
const ownRefusals = {
  selector: "NewExpression[callee.name='Refusal']",
  message: 'take `refusal` of the call, `found` or `faultIn`: they give only what the operation declares',
};

/** The documentation would show the wrong side of it in answers. */
const ownCodecs = {
  selector: "CallExpression[callee.object.name='z'][callee.property.name='codec']",
  message: 'use codec of api/wire/codec.ts, which is documented as it is on the wire',
};

/** A type argument of a statement is a claim that nobody checks. */
const claimedRows = {
  selector:
    'CallExpression[callee.property.name=/^(query|execute|executeQuery)$/] > TSTypeParameterInstantiation ' +
    ":matches(TSTypeLiteral, TSTypeReference[typeName.name!='Raw'])",
  message:
    'declare a statement (db/rows/statement.ts) or parse the rows: this type is claimed and not checked',
};

export default defineConfig(
  globalIgnores(['node_modules', '.data', 'coverage']),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, comments.recommended],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // promises that nobody awaits are written `void`; functions may be async to keep one shape
      '@typescript-eslint/require-await': 'off',
      // our objects are closures without `this`
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/only-throw-error': 'error',
      '@eslint-community/eslint-comments/require-description': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  ...Object.entries(mayImport).map(([folder, allowed]) => borders(folder, allowed)),
  {
    files: [
      'api/**/*.ts',
      'db/**/*.ts',
      'adapters/**/*.ts',
      'services/**/*.ts',
      'activities/**/*.ts',
      'workers/**/*.ts',
      'dev/**/*.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', rawKysely, ...aliases] },
  },
  {
    files: ['api/**/*.ts', 'db/**/*.ts', 'adapters/**/*.ts', 'services/**/*.ts', 'activities/**/*.ts'],
    ignores: [
      'api/pipeline/**',
      'api/main.ts',
      'api/server.ts',
      'db/migrate.ts',
      'db/ledger-check.ts',
      'api/commands/**',
    ],
    rules: { 'no-restricted-syntax': ['error', ormEm, rawKysely, claimedRows, ownTransactions, ...aliases] },
  },
  {
    files: ['api/**/*.ts', 'services/**/*.ts'],
    ignores: [
      'api/pipeline/**',
      'api/declaration/**',
      'api/wire/codec.ts',
      'api/main.ts',
      'api/server.ts',
      'api/commands/**',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[ormEm, rawKysely, claimedRows, ownTransactions, ownRefusals, ownCodecs, ...aliases],
      ],
    },
  },
  {
    // the one place that may
    files: ['db/transaction.ts', 'db/migrate.ts'],
    rules: { 'no-restricted-syntax': ['error', rawKysely, claimedRows, ...aliases] },
  },
  {
    // the one place that may
    files: ['db/rows/query.ts'],
    rules: { 'no-restricted-syntax': ['error', ormEm, claimedRows, ownTransactions, ...aliases] },
  },
  {
    files: ['workflows/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'Temporal', message: 'not deterministic in a workflow' },
        { name: 'process', message: 'not in a workflow' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'let activities say what time it is, or use a timer',
        },
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'not in a workflow',
        },
        {
          selector: 'Property[key.name=validator] > ArrowFunctionExpression[async=true]',
          message: 'a validator that is async never refuses',
        },
        {
          selector: "CallExpression[callee.name='setHandler']:not(:has(Property[key.name='validator']))",
          message:
            'give the update a validator (workflows/seals.ts has one that takes everything): without one it is accepted before its seal is looked at',
        },
        {
          selector: 'ImportDeclaration[source.value=/^node:/]',
          message: 'Node’s modules do not exist in a workflow',
        },
      ],
    },
  },
  {
    files: ['**/*.ts'],
    // the one place that may
    ignores: ['adapters/custody/fireblocks.ts', 'test/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: '@fireblocks/ts-sdk', message: 'take the Custodian of adapters/custody' }] },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: { 'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/support/property.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'fast-check', message: 'take fc of test/support/property.ts, which has the seed' }],
        },
      ],
    },
  },
);
