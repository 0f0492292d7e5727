/** Writes the API's types: `node tools/client.ts OPENAPI.json TARGET`. Examples and headers stay out: nobody types them. */
import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'

type Parameter = { in: string }
type Operation = { parameters?: Parameter[] | undefined; requestBody?: Body; responses: Record<string, Answer> }
type Body = { content?: Record<string, { example?: unknown; examples?: unknown }> }
type Answer = Body & { headers?: unknown }

const HEAD = '/* Generated from the OpenAPI document by `make client`; not to be edited. */\n'
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

const [source = '', target = ''] = process.argv.slice(2)
const document = JSON.parse(await readFile(source, 'utf8')) as { paths: Record<string, Record<string, Operation>> }
for (const path of Object.values(document.paths)) {
  for (const method of METHODS) {
    if (path[method]) strip(path[method])
  }
}
const types = await openapiTS(document as unknown as OpenAPI3, { alphabetize: true })
await writeFile(target, HEAD + astToString(types))

function strip(operation: Operation): void {
  operation.parameters = operation.parameters?.filter((each) => each.in !== 'header')
  for (const answer of Object.values(operation.responses)) delete answer.headers
  for (const body of [operation.requestBody, ...Object.values(operation.responses)]) {
    for (const content of Object.values(body?.content ?? {})) {
      delete content.example
      delete content.examples
    }
  }
}
