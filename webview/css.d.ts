/** Stylesheets are gathered by the bundler into one file beside the script. */
declare module '*.css';
