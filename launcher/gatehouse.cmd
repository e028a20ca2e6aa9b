@echo off
rem The command line of Gatehouse, run by the program of its desktop app.
"%~dp0..\..\Gatehouse.exe" --command-line -- %*
exit /b %ERRORLEVEL%
