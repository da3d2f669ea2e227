/** Stands in for development-only packages in the bundle. */
export default {};
