/** The package version: the one that handshakes compare. Kept equal to package.json by a test. */
export const VERSION = '0.1.0';
