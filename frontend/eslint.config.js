import { readdirSync } from 'node:fs'
import js from '@eslint/js'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'e2e/artifacts', 'src/api/generated'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  reactHooks.configs.flat.recommended,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
    },
  },
  ...layers(),
  { files: ['**/*.js'], extends: [tseslint.configs.disableTypeChecked] },
)

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

function without(files, regex, message) {
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns: [{ regex, message }] }] } }
}
