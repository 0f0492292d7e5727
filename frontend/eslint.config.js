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
      // A page belongs to its folder: features share by components/, hooks/, lib/ and live/, not by importing each other.
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ group: ['@/features/*/**', '../../features/*'], message: 'Features do not import each other.' }],
        },
      ],
    },
  },
  { files: ['src/app/**', 'src/main.tsx'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['**/*.js'], extends: [tseslint.configs.disableTypeChecked] },
)
