import { expect, test } from 'vitest'
import { gitAddress, pushingWithGit, pushingWithoutGit, signingIn } from './pushing'

const PUSHING = {
  origin: 'https://walle.example.com',
  scenario: 'camera',
  task: 'digits',
  version: '1.4.0',
  begins: false,
}

test('the token is the password of git', () => {
  const [clone, , push] = pushingWithGit(PUSHING)
  expect(clone?.command).toBe(
    'git clone https://git:$WALLE_TOKEN@walle.example.com/git/camera.git && cd camera && git switch digits',
  )
  expect(push?.command.split('\n')[1]).toBe('git push origin digits digits/1.4.0')
})

test('a task begins with a branch of its own', () => {
  expect(pushingWithGit({ ...PUSHING, begins: true })[0]?.command).toMatch(/git switch --orphan digits$/)
})

test('addresses and the way without git', () => {
  expect(gitAddress(PUSHING.origin, 'camera')).toBe('https://walle.example.com/git/camera.git')
  expect(signingIn(PUSHING.origin)).toContain('WALLE_URL=https://walle.example.com')
  expect(pushingWithoutGit(PUSHING)).toBe('walle version upload . camera/digits 1.4.0')
})
