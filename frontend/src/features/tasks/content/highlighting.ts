/** Colours of source text; loaded on first use. */
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

export type Piece = { text: string; className: string }

type Tree = ReturnType<typeof lowlight.highlight>
type Node = Tree['children'][number]

const lowlight = createLowlight({ bash, ini, javascript, json, markdown, python, sql, xml, yaml })

/** Returns the pieces of each line; `className` is that of highlight.js, such as "hljs-keyword", or empty. */
export function highlight(text: string, language: string | undefined): Piece[][] {
  if (language === undefined) return text.split('\n').map((line) => [{ text: line, className: '' }])
  const lines: Piece[][] = [[]]
  for (const node of lowlight.highlight(language, text).children) add(lines, node, '')
  return lines
}

function add(lines: Piece[][], node: Node, className: string): void {
  if (node.type === 'element') {
    const names = node.properties.className
    const own = Array.isArray(names) ? names.join(' ') : className
    for (const child of node.children) add(lines, child, own)
  } else if (node.type === 'text') {
    node.value.split('\n').forEach((text, index) => {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)?.push({ text, className })
    })
  }
}
