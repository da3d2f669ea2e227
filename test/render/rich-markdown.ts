/** A document with everything that has gone wrong in terminals before. */
const LONG_CELL = 'x'.repeat(200);
const LONG_LINK = `https://example.org/${'a'.repeat(280)}`;
const CODE = Array.from({ length: 120 }, (_, line) => `const line${line} = "${line}"; // 漢字`).join('\n');

export const RICH = `# A heading with \`code\` and **bold**

A paragraph with *emphasis*, ~~struck~~ words, **bold *both* bold**, an entity &amp; and <b>html</b>,
a second line, and a hard break  
here. Not a control: &#27;[31m.

1. first
5. second, with enough words to be wrapped at thirty columns and then once more for good measure

   \`\`\`js
   const inside = 1;

   const after = 2;
   \`\`\`
6. third
8. fourth
   - nested
     - deeper with 漢字 and emoji 👩‍👧 in it
   - back

- [ ] open task
- [x] done task

| name | wide 漢字 | emoji | long |
| :--- | ---: | :-: | --- |
| a | 漢字漢字 | 👍🏽 | ${LONG_CELL} |
| b \`x\\|y\` | 字 | ➡️ | short |

> A quote
> - with a list
lazy line

> > nested quote

See [the link](${LONG_LINK}) and <https://example.org/auto> and [ref][name] and ![picture](pic.png).

[name]: https://example.org/name

***

<div>
literal <em>html</em>
</div>

    indented code

    more indented code

Setext
------

\`\`\`ts
${CODE}
\`\`\`

Last words.

\`\`\`\`python
def open_fence():

    return "still code"
`;
