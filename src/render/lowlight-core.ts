/** A static door to lowlight's core, so that a bundler leaves out the grammars that its index exports. */
export { createLowlight } from 'lowlight';
