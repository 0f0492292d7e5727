import { readdirSync } from 'node:fs'
import { defineConfig, type OxlintOverride } from 'oxlint'

// The rules that typescript-eslint calls strict and stylistic, where the categories do not have them.
const STRICT = [
  ...['no-case-declarations', 'no-empty', 'no-fallthrough', 'no-prototype-builtins', 'no-regex-spaces', 'no-var'],
  ...['no-useless-assignment', 'prefer-const', 'prefer-rest-params', 'prefer-spread', 'react/rules-of-hooks'],
  ...types('no-deprecated', 'no-dynamic-delete', 'no-empty-object-type', 'no-explicit-any', 'no-invalid-void-type'),
  ...types('no-misused-promises', 'no-mixed-enums', 'no-namespace', 'no-non-null-assertion', 'no-require-imports'),
  ...types('no-unnecessary-condition', 'no-unsafe-argument', 'no-unsafe-assignment', 'no-unsafe-call'),
  ...types('no-unsafe-function-type', 'no-unsafe-member-access', 'no-unsafe-return', 'only-throw-error'),
  ...types('prefer-literal-enum-member', 'prefer-promise-reject-errors', 'prefer-reduce-type-parameter'),
  ...types('prefer-return-this-type', 'related-getter-setter-pairs', 'require-await', 'unified-signatures'),
  ...types('use-unknown-in-catch-callback-variable', 'adjacent-overload-signatures', 'array-type'),
  ...types('class-literal-property-style', 'consistent-generic-constructors', 'consistent-indexed-object-style'),
  ...types('consistent-type-assertions', 'dot-notation', 'no-inferrable-types', 'non-nullable-type-assertion-style'),
  ...types('prefer-find', 'prefer-for-of', 'prefer-function-type', 'prefer-includes', 'prefer-nullish-coalescing'),
  ...types('prefer-optional-chain', 'prefer-regexp-exec', 'prefer-string-starts-ends-with'),
  ...['no-unexpected-multiline', 'no-useless-constructor', 'preserve-caught-error'],
  ...types('no-confusing-non-null-assertion', 'no-extraneous-class', 'no-non-null-asserted-nullish-coalescing'),
  ...types('no-unnecessary-boolean-literal-compare', 'no-unnecessary-template-expression'),
  ...types('no-unnecessary-type-arguments', 'no-unnecessary-type-assertion', 'no-unnecessary-type-constraint'),
  ...types('no-unnecessary-type-conversion', 'no-unnecessary-type-parameters', 'no-unsafe-enum-comparison'),
]

export default defineConfig({
  plugins: ['eslint', 'typescript', 'react'],
  options: { typeAware: true, typeCheck: true },
  ignorePatterns: ['dist', 'node_modules', 'e2e/artifacts', 'src/api/generated'],
  categories: { correctness: 'error' },
  rules: {
    ...Object.fromEntries(STRICT.map((rule) => [rule, 'error' as const])),
    // Elements in tables of names and contents are not children; react/exhaustive-deps says what effects depend on.
    'react/jsx-key': 'off',
    'react/no-children-prop': 'off',
    'react/exhaustive-effect-dependencies': 'off',
    'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
    'typescript/consistent-type-definitions': ['error', 'type'],
    'typescript/restrict-plus-operands': ['error', { allowNumberAndString: false }],
    'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
  },
  overrides: layers(),
})

function types(...names: string[]) {
  return names.map((name) => `typescript/${name}`)
}

/** A page belongs to its folder: features share by what is below them, not by importing each other. */
function layers() {
  const features = readdirSync(`${import.meta.dirname}/src/features`)
  return [
    ...features.map((name) => {
      const others = features.filter((each) => each !== name).join('|')
      return without(`src/features/${name}/**`, `(features|\\.\\.)/(${others})/`, 'Features do not import each other.')
    }),
    without('src/{components,live}/**', '(features|app)/', 'What pages are made of knows no page.'),
    without('src/hooks/**', '(features|app|components)/', 'Hooks show nothing.'),
    without(
      'src/{lib,api}/**',
      '(features|app|components|hooks|live)/|^react',
      'Plain functions know neither React nor pages.',
    ),
  ]
}

function without(files: string, regex: string, message: string): OxlintOverride {
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns: [{ regex, message }] }] } }
}
