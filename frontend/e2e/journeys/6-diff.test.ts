import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { visitor } from '../support/browser'
import { clone, sha256, type Clone } from '../support/git'
import * as releases from '../support/releases'
import { inFolder, sql, until, walle, world } from '../support/world'

const [OLD, NEW] = ['1.0.0', world.better]
/** What their task.toml excludes. */
const STAYS = 'samples/'

let clones = ''
let camera: Clone

beforeAll(async () => {
  clones = await mkdtemp(join(tmpdir(), 'walle-journey-'))
  camera = await clone('camera', clones)
  return () => rm(clones, { recursive: true })
})

/** The texts of a table's cells, row by row. */
async function cells(page: Page, table: string): Promise<string[][]> {
  const rows = page.getByRole('grid', { name: table, exact: true }).getByRole('row')
  await rows.nth(1).waitFor()
  return rows.evaluateAll((found) =>
    found
      .slice(1)
      .map((row) => Array.from(row.querySelectorAll('[role="gridcell"]'), (cell) => cell.textContent.trim())),
  )
}

type Shown = { number: number; text: string; said: string }

/** The lines of a file that the difference shows, of its old or its new side. */
async function shownLines(page: Page, file: string, side: 'old' | 'new'): Promise<Shown[]> {
  return page.getByRole('region', { name: /^What changed/ }).evaluate(
    (region, [path, which]) => {
      let current = ''
      return Array.from(region.querySelectorAll('[data-index]')).flatMap((item) => {
        current = item.querySelector('h3')?.textContent ?? current
        const line = item.firstElementChild?.children[which === 'old' ? 0 : 1]
        const text = line?.querySelector(':scope > code')
        if (current !== path || !line || !text || item.querySelector('h3')) return []
        const [number, said] = [line.children[0]?.textContent, line.querySelector('.visually-hidden')?.textContent]
        return [{ number: Number(number), text: text.textContent, said: said ?? '' }]
      })
    },
    [file, side] as const,
  )
}

test('from the search to the difference of two tags, which is what git has', async () => {
  const { page } = await visitor({ height: 3000 })
  await page.goto('/tasks')
  await page.getByRole('grid', { name: 'Tasks' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('digi')
  await page.waitForURL('**/tasks?q=digi')
  await until('one task', async () => (await cells(page, 'Tasks')).length === 1)
  await page.reload()
  expect((await cells(page, 'Tasks'))[0]?.[0]).toBe('camera/digits')
  await page.getByRole('link', { name: 'camera/digits' }).click()
  await page.waitForURL('**/tasks/camera/digits')

  await page.getByRole('link', { name: 'Compare versions' }).click()
  for (const [label, version] of [
    ['From', OLD],
    ['To', NEW],
  ] as const) {
    await page.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: version, exact: true }).click()
  }
  await page.waitForURL(`**/tasks/camera/digits/diff?from=${OLD}&to=${NEW}`)
  await page.getByRole('region', { name: `What changed from ${OLD} to ${NEW}` }).waitFor()

  const tags = [`digits/${OLD}`, `digits/${NEW}`] as const
  const named = (await camera.text('diff', '--name-only', '--no-renames', ...tags)).trimEnd().split('\n')
  const changed = named.filter((path) => !path.startsWith(STAYS))
  const listed = page.getByRole('navigation', { name: 'Changed files' }).locator('li code')
  await until('the files that git has', async () => (await listed.count()) === changed.length)
  expect((await listed.allTextContents()).sort()).toEqual(changed.sort())

  for (const path of changed.filter((each) => !each.endsWith('.npz'))) {
    const sides = { old: tags[0], new: tags[1] }
    const common: string[][] = []
    for (const side of ['old', 'new'] as const) {
      const whole = (await camera.file(sides[side], path)).toString().split('\n')
      const shown = await shownLines(page, path, side)
      expect(shown.length).toBeGreaterThan(0)
      for (const { number, text } of shown) expect(`${number} ${text}`).toBe(`${number} ${whole[number - 1] ?? ''}`)
      const marked = new Set(shown.filter(({ said }) => said !== '').map(({ number }) => number))
      common.push(whole.filter((_, index) => !marked.has(index + 1)))
    }
    // Without what is shown as removed and as added, both are the same file: nothing that changed is missing.
    expect(common[0]).toEqual(common[1])
  }

  const region = page.getByRole('region', { name: /^What changed/ })
  for (const tag of tags) {
    const content = await camera.file(tag, 'model.npz')
    await region.getByTitle(sha256(content)).waitFor()
    await region.getByTitle(`${content.length} bytes`).first().waitFor()
  }

  await page.getByRole('button', { name: 'Swap the two versions' }).click()
  await page.waitForURL(`**/diff?from=${NEW}&to=${OLD}`)
  await page.getByRole('region', { name: `What changed from ${NEW} to ${OLD}` }).waitFor()
})

test('shared and exclusive files are those of git and of PostgreSQL', async () => {
  const { page } = await visitor()
  for (const [scenario, task, version] of [
    ['camera', 'digits', NEW],
    ['shop', 'recommend', '1.0.0'],
  ] as const) {
    await page.goto(`/tasks/${scenario}/${task}?version=${version}`)
    const shown = await cells(page, 'Files')
    const stored = await sql<{ path: string; kind: string; digest: string | null; variants: number }>(
      `SELECT f.path, f.kind, f.digest, (SELECT count(*)::int FROM tasks_app_variant a WHERE a.file_id = f.id) AS variants
       FROM tasks_app_versionfile f JOIN tasks_app_taskversion v ON v.id = f.version_id
       JOIN tasks_app_task t ON t.id = v.task_id WHERE t.slug = $1 AND v.version = $2 ORDER BY f.path`,
      task,
      version,
    )
    expect(shown.map(([path, kind]) => [path, kind])).toEqual(stored.map(({ path, kind }) => [path, kind]))

    const tag = `${task}/${version}`
    const repository = scenario === 'camera' ? camera : await clone(scenario, clones)
    const travelling = (await repository.files(tag)).filter(({ path }) => !path.startsWith(STAYS))
    const shared = shown.filter(([, kind]) => kind === 'shared')
    expect(shared.map(([path = '']) => path).sort()).toEqual(travelling.map(({ path }) => path).sort())
    for (const [path = '', , , content = ''] of shared) {
      const digest = sha256(await repository.file(tag, path))
      expect(digest.startsWith(content.slice(0, 12))).toBe(true)
      expect(stored.find((file) => file.path === path)?.digest).toBe(digest)
    }
    for (const [path, , , content] of shown.filter(([, kind]) => kind === 'exclusive')) {
      const file = stored.find((each) => each.path === path)
      expect(content).toContain(`${file?.variants ?? 0} variants`)
    }
  }
  expect((await cells(page, 'Files')).some(([path, kind]) => path === 'prefs.json' && kind === 'exclusive')).toBe(true)
})

test('a file opens in the page: text as git has it, arrays by shape; and is compared with what devices run', async () => {
  const someone = await visitor({ height: 1400 })
  const { page } = someone
  await page.goto(`/tasks/camera/digits?version=${NEW}`)
  const files = page.getByRole('grid', { name: 'Files', exact: true })
  const source = (await cells(page, 'Files')).map(([path]) => path ?? '').find((path) => path.endsWith('.py')) ?? ''
  await files.getByRole('link', { name: source }).click()
  await page.waitForURL(`**/tasks/camera/digits?version=${NEW}&file=${encodeURIComponent(source)}`)
  const text = page.getByRole('region', { name: `Text of ${source}` })
  await text.waitFor()
  const lines = await text.locator('code').allTextContents()
  expect(`${lines.join('\n')}\n`).toBe((await camera.file(`digits/${NEW}`, source)).toString('utf8'))
  expect(await text.locator('.hljs-keyword').count()).toBeGreaterThan(0)
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('task-file-light-1280')

  await files.getByRole('link', { name: 'model.npz' }).click()
  await page
    .getByRole('img', { name: /^Numbers from / })
    .first()
    .waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('task-arrays-light-1280')

  await page
    .getByRole('link', { name: /^Compare with / })
    .last()
    .click()
  await page.waitForURL(/diff\?from=[\d.]+&to=[\d.]+&file=model.npz$/)
  await page.getByRole('heading', { name: 'model.npz' }).waitFor()
})

test('where versions are installed is what devices have, with links to them', async () => {
  const { page } = await visitor()
  await page.goto('/tasks/comments/sentiment')
  const link = page.getByRole('link', { name: new RegExp(`^[\\d,]+ in ${world.app}$`) }).first()
  await link.waitFor()
  const true_ = await sql<{ version: string; devices: number }>(
    `SELECT v.version, count(*)::int AS devices FROM devices_app_installedtask i
     JOIN devices_app_device d ON d.id = i.device_id AND d.revoked_at IS NULL
     JOIN tasks_app_taskversion v ON starts_with(v.manifest_digest, i.manifest)
     WHERE i.task = 'comments/sentiment' GROUP BY v.version ORDER BY devices DESC`,
  )
  expect(await link.textContent()).toBe(`${true_[0]?.devices ?? 0} in ${world.app}`)
  expect(await link.getAttribute('href')).toBe(
    `/devices?app=${world.app}&task=comments%2Fsentiment&revoked=false&version=${true_[0]?.version ?? ''}`,
  )
  const release = page.getByRole('link', { name: 'Release this version' })
  expect(await release.getAttribute('href')).toBe('/releases/new?scenario=comments&task=sentiment&version=1.0.0')
  await page.getByRole('button', { name: 'Copy command: Push the branch and a tag' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    'git push origin sentiment sentiment/1.1.0',
  )
})

const LARGE = 'comments/large'

/** Uploads a version with two texts of which every line is another one in each version. */
async function uploadLarge(folder: string, version: string): Promise<void> {
  const lines = (file: string) =>
    Array.from({ length: 4_900 }, (_, line) => `${file} ${line} of ${version}: ${'x'.repeat(20)}\n`)
  await writeFile(join(folder, 'a.txt'), lines('a').join(''))
  await writeFile(join(folder, 'b.txt'), lines('b').join(''))
  await writeFile(join(folder, 'main.py'), 'def run(inputs, context):\n    return {}\n')
  await writeFile(
    join(folder, 'task.toml'),
    '[task]\ndescription = "Large texts"\nentry_point = "main:run"\n[trigger]\nevery_s = 3600\n',
  )
  await walle('version', 'upload', folder, LARGE, version)
}

test('of a large difference only what is looked at is on the page, and a version that was rolled back is in quarantine until that is lifted', async () => {
  for (const version of ['1.0.0', '1.1.0']) await inFolder((folder) => uploadLarge(folder, version))
  const { page } = await visitor()
  await page.goto(`/tasks/${LARGE}`)
  await page.getByRole('heading', { name: 'Version 1.1.0' }).waitFor()
  await page.getByRole('link', { name: 'Compare with 1.0.0' }).click()
  const region = page.getByRole('region', { name: 'What changed from 1.0.0 to 1.1.0, 2 files' })
  await region.getByText('a 3 of 1.1.0').waitFor()
  expect(await region.locator('[data-index]').count()).toBeLessThan(120)
  await page
    .getByRole('navigation', { name: 'Changed files' })
    .getByRole('button', { name: /b\.txt/ })
    .click()
  await region.getByText('b 3 of 1.1.0').waitFor()
  await region.press('End')
  await region.getByText('b 4899 of 1.0.0').waitFor()

  const rule = { fact: 'os_version', version: '>=99' }
  const id = await releases.draft(LARGE, '1.1.0', { simulation: false }, rule)
  await page.goto(`/tasks/${LARGE}`)
  await page.getByRole('grid', { name: 'Versions' }).getByText('draft').waitFor()
  await releases.move(id, 'start', 'a journey')
  // Without a reload.
  await page.getByRole('grid', { name: 'Versions' }).getByText('running').waitFor()
  await releases.move(id, 'roll-back', 'the texts are too large')
  await page.getByRole('grid', { name: 'Versions' }).getByText('in quarantine').waitFor()
  await page.getByText('This version may not be released: the texts are too large').waitFor()

  await page.getByRole('button', { name: 'Lift quarantine' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Why it may be released again' }).fill('they are small enough')
  await dialog.getByRole('button', { name: 'Lift quarantine' }).click()
  await page.getByText('This version may not be released').waitFor({ state: 'detached' })
  const [kept] = await sql<{ count: number }>(
    `SELECT count(*)::int FROM releases_app_quarantine q JOIN tasks_app_taskversion v ON v.id = q.version_id
     JOIN tasks_app_task t ON t.id = v.task_id WHERE t.slug = 'large'`,
  )
  expect(kept?.count).toBe(0)
})

const PHOTO = new URL('../../../examples/photo/task', import.meta.url).pathname

test('the models of a version say what they are, and what each class of devices runs them on', async () => {
  await walle('version', 'upload', PHOTO, 'camera/photo', '1.0.0')
  const { page } = await visitor()
  await page.goto('/tasks/camera/photo?version=1.0.0')
  await page.getByRole('heading', { name: 'Model digits' }).waitFor()
  await page.getByText('image float32[1, 1, 16, 16]').waitFor()
  await page.getByText('convolution 2, max_pool 2, relu 2, flatten 1, linear 1').waitFor()
  const backends = page.getByRole('group', { name: 'Backends of digits' }).locator('tbody td')
  const told = JSON.parse(await walle('--json', 'version', 'show', 'camera/photo', '1.0.0')) as {
    models: { classes: { backends: { backend: string }[] }[] }[]
  }
  const first = told.models[0]?.classes.map((each) => each.backends[0]?.backend ?? '')
  expect((await backends.allTextContents()).map((each) => each.split(' ')[0])).toEqual(first)
  expect(first).toHaveLength(3)
})
